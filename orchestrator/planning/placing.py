"""What `spec.placement` asks for a kind of daemon: `all` merged with its own, as Rook merges.

For mons and mgrs a part of their own replaces that of `all`, and tolerations add up. For OSDs, to
which Rook applies both, the first terms of both node affinities have to hold; the preparation of
disks has its own key. `storage.onlyApplyOSDPlacement` leaves `all` out of both.
"""

from typing import TypeVar

from orchestrator.model.facts import DaemonType
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.kube import (
    NodeAffinity,
    NodeSelector,
    NodeSelectorTerm,
    Placement,
    Toleration,
)

T = TypeVar("T")

ALL, PREPARE = "all", "prepareosd"
NONE = Placement()


def of(spec: CephClusterSpec, kind: DaemonType) -> Placement:
    """The placement of mons, mgrs, or OSDs once they are made."""
    own = spec.placement.get(str(kind), NONE)
    return _added(_base(spec), own) if kind is DaemonType.OSD else merged(_base_of_all(spec), own)


def of_preparation(spec: CephClusterSpec) -> Placement:
    """The placement of what makes OSDs of disks."""
    return _added(_base(spec), spec.placement.get(PREPARE, NONE))


def _base_of_all(spec: CephClusterSpec) -> Placement:
    return spec.placement.get(ALL, NONE)


def _base(spec: CephClusterSpec) -> Placement:
    return NONE if spec.storage.only_apply_osd_placement else _base_of_all(spec)


def merged(base: Placement, own: Placement) -> Placement:
    """`own` where it says something, and `base` elsewhere; tolerations of both."""
    return Placement(
        node_affinity=_first(own.node_affinity, base.node_affinity),
        pod_affinity=_first(own.pod_affinity, base.pod_affinity),
        pod_anti_affinity=_first(own.pod_anti_affinity, base.pod_anti_affinity),
        tolerations=_tolerations(base, own),
        topology_spread_constraints=own.topology_spread_constraints
        or base.topology_spread_constraints,
    )


def _first(own: T | None, base: T | None) -> T | None:
    return base if own is None else own


def _added(base: Placement, own: Placement) -> Placement:
    both = merged(base, own)
    return both.model_copy(
        update={"node_affinity": _affinities(base.node_affinity, own.node_affinity)}
    )


def _affinities(base: NodeAffinity | None, own: NodeAffinity | None) -> NodeAffinity | None:
    if base is None or own is None:
        return base if own is None else own
    return NodeAffinity(
        preferred_during_scheduling_ignored_during_execution=(
            *base.preferred_during_scheduling_ignored_during_execution,
            *own.preferred_during_scheduling_ignored_during_execution,
        ),
        required_during_scheduling_ignored_during_execution=_required(
            base.required_during_scheduling_ignored_during_execution,
            own.required_during_scheduling_ignored_during_execution,
        ),
    )


def _required(base: NodeSelector | None, own: NodeSelector | None) -> NodeSelector | None:
    """Of the first terms all requirements have to hold; further terms stay the daemon's own."""
    if base is None or own is None or not base.node_selector_terms or not own.node_selector_terms:
        own_says = own is not None and (own.node_selector_terms or base is None)
        return own if own_says else base
    mine, theirs = own.node_selector_terms[0], base.node_selector_terms[0]
    first = NodeSelectorTerm(
        match_expressions=(*theirs.match_expressions, *mine.match_expressions),
        match_fields=(*theirs.match_fields, *mine.match_fields),
    )
    return NodeSelector(node_selector_terms=(first, *own.node_selector_terms[1:]))


def _tolerations(base: Placement, own: Placement) -> tuple[Toleration, ...]:
    return tuple(dict.fromkeys((*own.tolerations, *base.tolerations)))
