"""Clears away what a cut-off attempt with LVM made: only what its own output names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    bluestore_label,
    lvm_list,
    prepare_orders,
    prepare_verdict,
    program,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import prepare_records

_SECONDS = 120.0
_TAG = "ceph.osd_fsid="


def settled(
    record: prepare_records.Record, known: Mapping[str, prepare_verdict.Known]
) -> prepare_verdict.Verdict:
    """Destroy the volumes of OSDs that are not whole; give the numbers that are to be purged."""
    uuids = record.uuids()
    finished = {osd.uuid: _finished(osd) for osd in prepare_orders.listed() if osd.uuid in uuids}
    destroy, purge = prepare_verdict.decide_volumes(uuids, finished, known)
    own_volume = record.mode == "volume"
    for uuid in destroy:
        zap = ["ceph-volume", "lvm", "zap", "--osd-fsid", uuid]
        program.run(zap if own_volume else [*zap, "--destroy"], _SECONDS)
    kept = [uuid for uuid in uuids if uuid not in destroy]
    for argv in leftovers(record.volumes(), record.groups(), kept, volumes(), members()):
        program.run(argv, _SECONDS)
    words = f"{len(kept)} of {len(uuids)} OSDs are whole" if uuids else "nothing had been asked"
    return prepare_verdict.Verdict(purge=purge, dead=destroy, why=words)


def _finished(osd: lvm_list.LvmOsd) -> bool | None:
    """Read the label; of one that cannot be read, as behind encryption, nobody can tell."""
    if osd.encrypted:
        return None
    try:
        label = bluestore_label.read(osd.path)
    except (OSError, bluestore_label.LabelError):
        return None
    return label is not None and label.finished


def volumes() -> dict[str, list[str]]:
    """Map every volume, as group/name, to its tags."""
    options = ["--reportformat", "json", "--options", "vg_name,lv_name,lv_tags"]
    return parse(program.run(["lvs", *options], _SECONDS))


def parse(text: str) -> dict[str, list[str]]:
    rows = json.loads(text)["report"][0]["lv"]
    return {
        f"{row['vg_name']}/{row['lv_name']}": [tag for tag in row["lv_tags"].split(",") if tag]
        for row in rows
    }


def members() -> dict[str, list[str]]:
    """Map every volume group to its disks as they are called now."""
    options = ["--reportformat", "json", "--options", "pv_name,vg_name"]
    return parse_members(program.run(["pvs", *options], _SECONDS))


def parse_members(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in json.loads(text)["report"][0]["pv"]:
        found.setdefault(row["vg_name"], []).append(row["pv_name"])
    found.pop("", None)
    return found


def leftovers(
    made: Collection[str],
    groups: Sequence[str],
    kept: Collection[str],
    existing_volumes: Mapping[str, Sequence[str]],
    disks: Mapping[str, Sequence[str]],
) -> list[list[str]]:
    """Give the commands that remove what was made and belongs to no OSD that is whole.

    A group goes when nothing else is in it, and only one that the attempt made itself.
    """
    gone = [
        name
        for name in made
        if name in existing_volumes and not _belongs(existing_volumes[name], kept)
    ]
    commands = [["lvremove", "--yes", name] for name in gone]
    for group in groups:
        inside = [name for name in existing_volumes if name.split("/")[0] == group]
        if group in disks and all(name in gone for name in inside):
            commands.append(["vgremove", "--yes", group])
            commands += [["pvremove", "--yes", disk] for disk in disks[group]]
    return commands


def _belongs(tags: Sequence[str], kept: Collection[str]) -> bool:
    owners = {tag[len(_TAG) :] for tag in tags if tag.startswith(_TAG)}
    return bool(owners & set(kept))
