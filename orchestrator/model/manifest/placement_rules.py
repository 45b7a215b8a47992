"""What Kubernetes would refuse of `spec.placement` when it gets the pods.

Rook's schema takes any text for an operator or an effect. Such a slip would leave daemons pending
there, and would place them anywhere or nowhere here, so it is refused with the manifest.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from orchestrator.model.manifest.problems import ABSENT, Finding, Path
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.kube import (
    LabelSelector,
    NodeAffinity,
    NodeSelectorTerm,
    Placement,
    PodAffinity,
    PodAffinityTerm,
    Requirement,
    Toleration,
    TopologySpreadConstraint,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS = (*_LABEL_OPERATORS, "Gt", "Lt")
_FIELD_OPERATORS = ("In", "NotIn")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_POLICIES = ("", "Honor", "Ignore")
_HIGHEST_WEIGHT = 100
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


def refusals(spec: CephClusterSpec) -> Iterator[Finding]:
    """Findings of every kind of daemon, also of kinds that this release does not place."""
    for kind, placement in spec.placement.items():
        yield from _placement(("placement", kind), placement)


def _placement(path: Path, placement: Placement) -> Iterator[Finding]:
    if placement.node_affinity:
        yield from _nodes((*path, "nodeAffinity"), placement.node_affinity)
    for name, affinity in (
        ("podAffinity", placement.pod_affinity),
        ("podAntiAffinity", placement.pod_anti_affinity),
    ):
        if affinity:
            yield from _pods((*path, name), affinity)
    for index, toleration in enumerate(placement.tolerations):
        yield from _toleration((*path, "tolerations", index), toleration)
    for index, constraint in enumerate(placement.topology_spread_constraints):
        yield from _spread((*path, "topologySpreadConstraints", index), constraint)


def _nodes(path: Path, affinity: NodeAffinity) -> Iterator[Finding]:
    required = affinity.required_during_scheduling_ignored_during_execution
    for index, term in enumerate(required.node_selector_terms if required else ()):
        yield from _term((*path, REQUIRED, "nodeSelectorTerms", index), term)
    for index, one in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        yield from _weight((*path, PREFERRED, index), one.weight)
        yield from _term((*path, PREFERRED, index, "preference"), one.preference)


def _term(path: Path, term: NodeSelectorTerm) -> Iterator[Finding]:
    for index, one in enumerate(term.match_expressions):
        yield from _requirement((*path, "matchExpressions", index), one, _NODE_OPERATORS)
    for index, one in enumerate(term.match_fields):
        here = (*path, "matchFields", index)
        yield from _one_of((*here, "key"), one.key, ("metadata.name",))
        yield from _requirement(here, one, _FIELD_OPERATORS)


def _requirement(path: Path, one: Requirement, operators: Sequence[str]) -> Iterator[Finding]:
    yield from _one_of((*path, "operator"), one.operator, operators)
    values, name = (*path, "values"), one.operator
    if name in {"In", "NotIn"} and not one.values:
        yield Finding(values, f"must hold a value for the operator {name}", "add values")
    if name in {"Exists", "DoesNotExist"} and one.values:
        yield Finding(values, f"must be empty for the operator {name}", "remove the values")
    if name in {"Gt", "Lt"} and not (len(one.values) == 1 and _INTEGER.fullmatch(one.values[0])):
        message = f"must be one whole number for the operator {name}"
        yield Finding(values, message, 'write it as a text, such as ["5"]')


def _pods(path: Path, affinity: PodAffinity) -> Iterator[Finding]:
    for index, term in enumerate(affinity.required_during_scheduling_ignored_during_execution):
        yield from _pod_term((*path, REQUIRED, index), term)
    for index, one in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        yield from _weight((*path, PREFERRED, index), one.weight)
        yield from _pod_term((*path, PREFERRED, index, "podAffinityTerm"), one.pod_affinity_term)


def _pod_term(path: Path, term: PodAffinityTerm) -> Iterator[Finding]:
    yield from _topology_key(path, term.topology_key)
    yield from _selector((*path, "labelSelector"), term.label_selector)
    yield from _selector((*path, "namespaceSelector"), term.namespace_selector)


def _selector(path: Path, selector: LabelSelector | None) -> Iterator[Finding]:
    for index, one in enumerate(selector.match_expressions if selector else ()):
        yield from _requirement((*path, "matchExpressions", index), one, _LABEL_OPERATORS)


def _toleration(path: Path, one: Toleration) -> Iterator[Finding]:
    yield from _one_of((*path, "operator"), one.operator, ("", "Equal", "Exists"))
    yield from _one_of((*path, "effect"), one.effect, ("", *_EFFECTS))
    if not one.key and one.operator in {"", "Equal"}:
        message = "must be Exists when no key is given"
        yield Finding((*path, "operator"), message, "add a key, or write operator: Exists")
    if one.operator == "Exists" and one.value:
        message = "must be empty for the operator Exists"
        yield Finding((*path, "value"), message, "remove it, or use Equal", one.value)


def _spread(path: Path, one: TopologySpreadConstraint) -> Iterator[Finding]:
    yield from _topology_key(path, one.topology_key)
    wanted = ("DoNotSchedule", "ScheduleAnyway")
    yield from _one_of((*path, "whenUnsatisfiable"), one.when_unsatisfiable, wanted)
    yield from _one_of((*path, "nodeAffinityPolicy"), one.node_affinity_policy, _POLICIES)
    yield from _one_of((*path, "nodeTaintsPolicy"), one.node_taints_policy, _POLICIES)
    for name, number in (("maxSkew", one.max_skew), ("minDomains", one.min_domains)):
        if number is not None and number < 1:
            yield Finding((*path, name), "must be at least 1", "use 1 or more", number)
    yield from _selector((*path, "labelSelector"), one.label_selector)


def _topology_key(path: Path, key: str) -> Iterator[Finding]:
    if not key:
        yield Finding((*path, "topologyKey"), "is required", "name a label of hosts")


def _weight(path: Path, weight: int) -> Iterator[Finding]:
    if not 1 <= weight <= _HIGHEST_WEIGHT:
        message = f"must be from 1 to {_HIGHEST_WEIGHT}"
        yield Finding((*path, "weight"), message, "use a number from that range", weight)


def _one_of(path: Path, value: str, known: Collection[str]) -> Iterator[Finding]:
    if value not in known:
        names = ", ".join(name for name in known if name)
        yield Finding(path, f"must be one of {names}", "use one of them", value or ABSENT)
