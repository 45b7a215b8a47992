"""Disks that several hosts reach, and on which each of them would make an OSD.

Every host finds such a disk blank, and all hosts prepare at the same time: two OSDs would write to
one disk. Which host is meant only a person can tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from orchestrator.model.decisions import Decision, State
from orchestrator.model.facts import Device as Disk
from orchestrator.model.facts import Facts
from orchestrator.model.names import HostName
from orchestrator.planning.refusals import LEVELS, Tree
from orchestrator.planning.selection import skipped

MADE_UP = ("nvme.", "t10.")
"""How names begin that are made of model and serial number: emulated disks may share them."""

Decided = Mapping[HostName, tuple[Decision, ...]]
Identity = tuple[str, str, str, int]


def left(facts: Facts, decided: Decided) -> Decided:
    """The verdicts, but that of what two hosts would take neither does."""
    refused = {
        (one.host, one.disk.name): _refused(one, reached)
        for reached in _by_identity(facts, decided).values()
        if len({one.host for one in reached}) > 1
        for one in reached
    }
    if not refused:
        return decided
    return {
        host: tuple(refused.get((host, one.disk.name), one) for one in decisions)
        for host, decisions in decided.items()
    }


def _by_identity(facts: Facts, decided: Decided) -> Mapping[Identity, Sequence[Decision]]:
    found: dict[Identity, list[Decision]] = {}
    for host, decisions in decided.items():
        tree = Tree(host=facts.hosts[host])
        for one in decisions:
            identity = _identity(one.disk, tree) if _is_fresh(one) else None
            if identity:
                found.setdefault(identity, []).append(one)
    return found


def _is_fresh(decision: Decision) -> bool:
    return decision.state is State.SELECTED and not decision.osds


def _identity(disk: Disk, tree: Tree) -> Identity | None:
    """What tells the disk at the bottom from all others in the world, if anything does."""
    for _ in range(LEVELS):
        parent = tree.parent(disk) if disk.parent else None
        if parent is None:
            break
        disk = parent
    if not disk.wwn or disk.wwn.startswith(MADE_UP):
        return None
    return disk.wwn, disk.serial, disk.model, disk.size


def _refused(decision: Decision, reached: Sequence[Decision]) -> Decision:
    others = sorted({one.host for one in reached} - {decision.host})
    text = (
        f"{', '.join(others)} would take the same disk, which has the WWN of this one; name it on "
        "the one host that is to have it"
    )
    return replace(skipped(decision, ("SharedDisk", text)), missed=True)
