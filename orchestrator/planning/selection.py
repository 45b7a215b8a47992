"""Which disks of a host become OSDs, and for every other one the reason why not.

Every device gets exactly one verdict. Here are the rules that look at several devices of a host:
two paths to one disk, metadata devices, and the limit.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from orchestrator.model.decisions import Decision, State
from orchestrator.model.facts import Device as Disk
from orchestrator.model.facts import Host
from orchestrator.model.names import Fsid
from orchestrator.planning import metadata
from orchestrator.planning.osd_settings import Narrowing
from orchestrator.planning.refusals import Finding, Tree
from orchestrator.planning.selectors import Selector
from orchestrator.planning.verdicts import Bench


def decide(
    host: Host,
    selector: Selector | None,
    fsid: Fsid | None,
    cloned: Collection[str] = (),
    unasked: str = "",
) -> tuple[Decision, ...]:
    """One verdict for every device of `host`, in the order of discovery.

    `cloned` are uuids of OSDs that more than one device shows; `unasked` says why the host has no
    selector.
    """
    bench = replace(_bench(host, selector, fsid, cloned), unasked=unasked)
    verdicts = [bench.verdict(disk) for disk in host.devices]
    if selector is None or not any(one.state is State.SELECTED for one in verdicts):
        return tuple(verdicts)
    verdicts = _without_second_paths(verdicts)
    verdicts = _with_metadata(bench, verdicts)
    return tuple(_within_limit(selector.narrowing, verdicts))


def _bench(
    host: Host, selector: Selector | None, fsid: Fsid | None, cloned: Collection[str]
) -> Bench:
    tree = Tree(host=host)
    found = ((disk.name, selector.request(disk)) for disk in host.devices) if selector else ()
    return Bench(
        tree=tree,
        selector=selector,
        requests={name: request for name, request in found if request},
        metadata=metadata.resolve(selector, tree) if selector else metadata.NONE,
        fsid=fsid,
        cloned=cloned,
    )


def skipped(decision: Decision, finding: Finding) -> Decision:
    code, reason = finding
    return replace(decision, state=State.SKIPPED, code=code, reason=reason, wanted=None)


def _without_second_paths(verdicts: Sequence[Decision]) -> list[Decision]:
    """One disk that is seen twice is taken once; which of the two is first does not matter."""
    first: dict[tuple[str, int], str] = {}
    for one in verdicts:
        if one.state is not State.SKIPPED and _is_whole(one.disk):
            first.setdefault((one.disk.wwn, one.disk.size), one.disk.name)
    return [_once(one, first.get((one.disk.wwn, one.disk.size), "")) for one in verdicts]


def _is_whole(disk: Disk) -> bool:
    return bool(disk.wwn) and disk.type == "disk"


def _once(decision: Decision, first: str) -> Decision:
    again = _is_whole(decision.disk) and first not in {"", decision.disk.name}
    if decision.state is not State.SELECTED or not again:
        return decision
    return skipped(
        decision, ("AnotherPath", f"leads to the same disk as {first}; set up multipath for it")
    )


def _with_metadata(bench: Bench, verdicts: Sequence[Decision]) -> list[Decision]:
    chosen = [
        (one, bench.requests[one.disk.name].settings)
        for one in verdicts
        if one.state is State.SELECTED
    ]
    settled = {
        one.disk.name: one
        for one in metadata.applied(bench.metadata, bench.tree, bench.fsid, chosen)
    }
    return [settled.get(one.disk.name, one) for one in verdicts]


def _within_limit(narrowing: Narrowing, verdicts: Sequence[Decision]) -> Iterator[Decision]:
    """Existing OSDs count first, then devices in the order of their stable names."""
    present = {
        one.osds
        for one in verdicts
        if one.osds and one.asked_by and not narrowing.mismatch(one.disk)
    }
    fresh = [one for one in verdicts if one.state is State.SELECTED and not one.osds]
    names = [one.disk.name for one in sorted(fresh, key=lambda one: one.disk.stable_path)]
    beyond = set(names[max(0, narrowing.limit - len(present)) :]) if narrowing.limit else set()
    for one in verdicts:
        if one.disk.name in beyond:
            yield skipped(one, ("LimitReached", f"limit {narrowing.limit} of a host is reached"))
        else:
            yield one
