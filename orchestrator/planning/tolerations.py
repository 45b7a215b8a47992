"""Which taints of a host a daemon tolerates: Kubernetes' rules."""

from collections.abc import Sequence

from orchestrator.model.facts import Taint
from orchestrator.model.spec.kube import Toleration

REFUSES = frozenset({"NoSchedule", "NoExecute"})
EVICTS = frozenset({"NoExecute"})
AVOIDS = "PreferNoSchedule"


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """An empty effect or key stands for all of them; an empty operator is Equal."""
    if toleration.effect not in {"", taint.effect} or toleration.key not in {"", taint.key}:
        return False
    if toleration.operator in {"", "Equal"}:
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def tolerated(taint: Taint, tolerations: Sequence[Toleration]) -> bool:
    return any(tolerates(one, taint) for one in tolerations)


def refusing(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> tuple[Taint, ...]:
    """Taints for which no new daemon is placed here."""
    return tuple(one for one in taints if one.effect in REFUSES and not tolerated(one, tolerations))


def evicting(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> tuple[Taint, ...]:
    """Taints for which a running daemon leaves.

    `tolerationSeconds` only delays that, and a pass has no clock: such a daemon stays.
    """
    return tuple(one for one in taints if one.effect in EVICTS and not tolerated(one, tolerations))


def avoided(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> int:
    """How many taints speak against a host without ruling it out."""
    return sum(one.effect == AVOIDS and not tolerated(one, tolerations) for one in taints)
