"""What is to become of a preparation that was cut off: pure, one table for every point of a cut.

A number is given back only when its OSD has our uuid and has never been up. A device is reset only
when its label bears a uuid that our own attempt on this very device announced, and lacks the word
that mkfs ends with: such an OSD cannot have held data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Found:
    """What is on the record's device now. `uuid` is that of the label, "" when there is none.

    `finished` says that mkfs came to its end; `blank` that nothing at all is on it.
    """

    present: bool = True
    uuid: str = ""
    finished: bool = False
    blank: bool = False


@dataclass(frozen=True)
class Known:
    """An OSD of Ceph's map; `new` as long as it has never been up."""

    id: int
    new: bool


@dataclass(frozen=True)
class Verdict:
    """What to do, in this order. `keep` leaves the record for another time; `why` is for people.

    `dead` names the OSDs whose folders may go.
    """

    purge: tuple[int, ...] = ()
    dead: tuple[str, ...] = ()
    wipe: bool = False
    keep: bool = False
    why: str = ""


def decide(uuids: Sequence[str], found: Found, known: Mapping[str, Known]) -> Verdict:
    """Judge an attempt on one device that was to become one OSD."""
    if not uuids:
        return Verdict(why="nothing had been asked of Ceph")
    if not found.present:
        return Verdict(keep=True, why="its device is not here")
    if found.uuid in uuids:
        return _with_our_label(uuids, found, known)
    if found.uuid:
        state = f"now holds the OSD {found.uuid}: left alone"
    else:
        state = "is blank" if found.blank else "holds something else: left alone"
    return _without_label(uuids, known, state)


def _without_label(uuids: Sequence[str], known: Mapping[str, Known], state: str) -> Verdict:
    dead = tuple(uuid for uuid in uuids if uuid not in known or known[uuid].new)
    started = [f"osd.{known[uuid].id}" for uuid in uuids if uuid not in dead]
    also = f"; {', '.join(started)} has run since: left to Ceph" if started else ""
    return Verdict(purge=_new_ids(dead, known), dead=dead, why=f"its device {state}{also}")


def _with_our_label(uuids: Sequence[str], found: Found, known: Mapping[str, Known]) -> Verdict:
    osd = known.get(found.uuid)
    others = tuple(uuid for uuid in uuids if uuid != found.uuid)
    if osd and (found.finished or not osd.new):
        return Verdict(purge=_new_ids(others, known), dead=others, why=f"osd.{osd.id} is complete")
    if found.finished:
        why = f"the OSD {found.uuid} is whole, but Ceph does not know it: left alone"
        return Verdict(purge=_new_ids(others, known), dead=others, why=why)
    return Verdict(
        purge=_new_ids(uuids, known),
        dead=tuple(uuids),
        wipe=True,
        why=f"the OSD {found.uuid} was cut off: cleared away",
    )


def _new_ids(uuids: Sequence[str], known: Mapping[str, Known]) -> tuple[int, ...]:
    return tuple(known[uuid].id for uuid in uuids if uuid in known and known[uuid].new)


def decide_volumes(
    uuids: Sequence[str], finished: Mapping[str, bool | None], known: Mapping[str, Known]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Judge an attempt with logical volumes: give the OSDs to destroy, and the numbers to purge.

    `finished` has the OSDs that have volumes on this host, and whether their mkfs came to its end,
    None when nobody can tell. What Ceph does not know may have run before Ceph forgot it, so it is
    destroyed only if mkfs was cut off.
    """
    open_ = [uuid for uuid in uuids if not _is_complete(uuid, finished, known)]
    destroy = tuple(
        uuid for uuid in open_ if uuid in finished and (uuid in known or finished[uuid] is False)
    )
    return destroy, _new_ids(open_, known)


def _is_complete(
    uuid: str, finished: Mapping[str, bool | None], known: Mapping[str, Known]
) -> bool:
    return uuid in known and (bool(finished.get(uuid)) or not known[uuid].new)
