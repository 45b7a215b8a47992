"""Which steps share one run: on hosts, those that make a new cluster.

Each run of Ansible costs its start and a look at its end, and that one tells nothing new: mgrs and
OSDs of a new cluster are placed before there are mons. They need the mons' quorum, so the run ends
on all hosts where that does not come about.
"""

from collections.abc import Sequence
from itertools import chain

from orchestrator.model.facts import Facts
from orchestrator.model.plan import CreationStep, MgrStep, MonStep, OsdStep, Part, Step

ORDER: tuple[type[Part], ...] = (MonStep, MgrStep, OsdStep)
"""That of the plays of `site.yml`."""


def joined(steps: Sequence[Step], facts: Facts) -> tuple[Step, ...]:
    """`steps`, with those at their beginning that make a new cluster as one.

    In Kubernetes they stay apart: there the disks are looked into while the mons are made, and only
    then it is planned what is made on them.
    """
    parts = () if any(host.pods for host in facts.hosts.values()) else _parts(steps)
    if len(parts) < 2:  # noqa: PLR2004 - one alone shares its run with nobody
        return tuple(steps)
    return (_creation(parts), *steps[len(parts) :])


def _parts(steps: Sequence[Step]) -> tuple[Part, ...]:
    """The mons of a new cluster, and the mgrs and then the OSDs that follow them at once."""
    mons = steps[0] if steps else None
    if not isinstance(mons, MonStep) or not mons.new_cluster:
        return ()
    parts: list[Part] = [mons]
    for step in steps[1:]:
        if not isinstance(step, MgrStep | OsdStep) or not _follows(step, parts[-1]):
            break
        parts.append(step)
    return tuple(parts)


def _follows(step: MgrStep | OsdStep, before: Part) -> bool:
    """Whether it is of the same cluster in all that every role is told, and starts nothing again.

    The dashboard needs an active mgr, and a restart Ceph's consent: both come in runs of their own.
    """
    told = (step.fsid, step.mons, step.admin_host) == (before.fsid, before.mons, before.admin_host)
    if not told or ORDER.index(type(step)) <= ORDER.index(type(before)):
        return False
    if isinstance(step, MgrStep):
        return step.dashboard is None
    return not step.next.waiting and not any(host.restarts for host in step.hosts)


def _creation(parts: tuple[Part, ...]) -> CreationStep:
    return CreationStep(
        changes=tuple(chain.from_iterable(part.changes for part in parts)),
        fsid=parts[0].fsid,
        mons=parts[0].mons,
        admin_host=parts[0].admin_host,
        services=tuple(chain.from_iterable(part.services for part in parts)),
        parts=parts,
    )
