"""The ratios at which OSDs count as full: those that the manifest names are kept, others stay.

As in Rook they go into the OSD map, where `ceph osd set-full-ratio` and its like put them, and a
ratio that leaves the manifest stays as it was last.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from orchestrator.model.facts import Cluster
from orchestrator.model.plan import Action, Change, Reason
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.storage import FULL_RATIOS

DIGITS = 6
"""Of a ratio: Ceph keeps short numbers and gives back a bit more than was set."""

Ratios = Mapping[str, float]


def wanted(spec: CephClusterSpec) -> dict[str, float]:
    """Those that the manifest names, by Ceph's word for each; the lowest first."""
    named = {kind: getattr(spec.storage, name) for kind, name in FULL_RATIOS.items()}
    return {kind: round(value, DIGITS) for kind, value in named.items() if value is not None}


def differing(spec: CephClusterSpec, cluster: Cluster | None) -> dict[str, float]:
    """What is to be set; of a new cluster all that is wanted, and nothing out of Ceph's order."""
    asked = wanted(spec)
    if cluster is None:
        return asked
    if not cluster.full_ratios or _out_of_order(asked, cluster.full_ratios):
        return {}
    return {kind: value for kind, value in asked.items() if cluster.full_ratios[kind] != value}


def changes(ratios: Ratios, cluster: Cluster | None) -> Iterator[Change]:
    """One for each of `ratios`."""
    for kind, value in ratios.items():
        before = cluster.full_ratios[kind] if cluster else None
        was = "new cluster" if before is None else f"instead of {before:g}"
        reason = f"{value:g} ({was})" if before is None else f"{value:g} {was}"
        yield Change(action=Action.SET, subject=f"{kind} ratio of OSDs", reason=reason)


def blocked(spec: CephClusterSpec, cluster: Cluster | None) -> Iterator[Reason]:
    """Ratios of the manifest that are out of order with those that it leaves as they are."""
    found = _out_of_order(wanted(spec), cluster.full_ratios) if cluster else ()
    for lower, higher, values in found:
        text = (
            f"the {lower} ratio would be {values[lower]:g} and the {higher} ratio "
            f"{values[higher]:g}, which Ceph calls an error; give both in spec.storage"
        )
        yield Reason(code="RatiosOutOfOrder", message=text)


def _out_of_order(asked: Ratios, current: Ratios) -> list[tuple[str, str, Ratios]]:
    """Neighbours of which the manifest names one, and that would be the wrong way round."""
    if not current:
        return []
    values = {**current, **asked}
    return [
        (lower, higher, values)
        for lower, higher in pairwise(FULL_RATIOS)
        if {lower, higher} & set(asked) and values[lower] > values[higher]
    ]
