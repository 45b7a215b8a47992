"""What rules a device out, whoever asks for it: anything that it holds, or is.

Safer than Rook where a mistake would cost data (CASES C01, C03, C09): each rule is a code and a
sentence, and the first that applies is the one that people see.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from orchestrator.model.facts import Device as Disk
from orchestrator.model.facts import Host, OsdLabel
from orchestrator.model.names import Fsid, OsdId
from orchestrator.planning.selectors import Request, names

MINIMUM_BYTES = 5 * 1024**3
"""ceph-volume rejects anything smaller."""

DATA_TYPES = frozenset({"disk", "ssd", "part", "loop", "lvm", "mpath", "crypt", "linear"})

VOLATILE = ("zram", "ram", "nbd", "rbd", "zd")
"""Kernel names of devices whose content is lost at a reboot, or is kept on something else."""

ATARI = "atari"

HALF_MADE = frozenset({"ceph_bluestore", "LVM2_member", "crypto_LUKS", "data of no known kind"})
"""What a preparation that was cut off can leave behind."""

LEVELS = 5
"""How far devices are followed up or down: crypt on a volume on a multipath on its disk."""

Finding = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Tree:
    """The devices of a host with what stands on what."""

    host: Host

    @cached_property
    def by_name(self) -> Mapping[str, Disk]:
        return {disk.name: disk for disk in self.host.devices}

    @cached_property
    def _lvm_devices(self) -> Mapping[str, Sequence[OsdLabel]]:
        """Labels of OSDs in logical volumes by the disks below, which no head of a disk shows."""
        found: dict[str, list[OsdLabel]] = {}
        for osd in self.host.osds_lvm:
            label = OsdLabel(id=osd.id, uuid=osd.uuid, fsid=osd.fsid)
            for path in (osd.path, *osd.devices):
                found.setdefault(path, []).append(label)
        return found

    def parent(self, disk: Disk) -> Disk | None:
        return self.by_name.get(disk.parent)

    def children(self, disk: Disk) -> list[Disk]:
        return [self.by_name[name] for name in disk.children if name in self.by_name]

    def labels(self, disk: Disk, levels: int = LEVELS) -> tuple[OsdLabel, ...]:
        """OSDs on the device itself, or in the volumes that fill it; never those of a partition."""
        if disk.osd is None and not disk.children and not self.host.osds_lvm:
            return ()
        found = {disk.osd.uuid: disk.osd} if disk.osd else {}
        if self._lvm_devices:
            known = (self._lvm_devices.get(name, ()) for name in names(disk))
            found |= {label.uuid: label for labels in known for label in labels}
        for child in self.children(disk) if levels else ():
            if child.type in {"lvm", "crypt", "mpath"}:
                found |= {label.uuid: label for label in self.labels(child, levels - 1)}
        return tuple(found.values())

    def ours(self, disk: Disk, fsid: Fsid | None) -> tuple[OsdId, ...]:
        """The OSDs of this cluster that the device holds."""
        found = {one.id for one in self.labels(disk) if one.fsid == fsid and one.id >= 0}
        return tuple(sorted(found))


def refusals(disk: Disk, tree: Tree, fsid: Fsid | None) -> Iterator[Finding]:
    """Each reason why a device cannot be taken, the most telling first."""
    yield from _owned(disk, tree, fsid)
    yield from _unfit(disk)
    if disk.error:
        yield "Unreadable", disk.error
    yield from _around(disk, tree)
    yield from _content(disk, tree)


def _owned(disk: Disk, tree: Tree, fsid: Fsid | None) -> Iterator[Finding]:
    parent = tree.parent(disk)
    if disk.osd and disk.osd.id < 0 and disk.osd.fsid in {"", fsid}:
        if not disk.unfinished:
            yield (
                "BlueStore",
                "holds BlueStore data that names no OSD: an unfinished OSD, or its DB",
            )
    else:
        for label in tree.labels(disk):
            if label.fsid != fsid:
                what = f"osd.{label.id}" if label.id >= 0 else "BlueStore data"
                yield "ForeignOsd", f"holds {what} of cluster {label.fsid or 'unknown'}"
    if parent and (parent.osd or parent.filesystem == "ceph_bluestore") and disk.type == "part":
        yield "PartOfOsd", f"{parent.stable_path} is an OSD; its partitions are misread data"
    if ATARI in {disk.udev_partition_scheme, disk.partition_table}:
        text = "the kernel sees atari partitions here, as it does on the data of a large OSD"
        yield "PhantomPartition", text


def _unfit(disk: Disk) -> Iterator[Finding]:
    if disk.type not in DATA_TYPES:
        yield "TypeNotSupported", f"type {disk.type or 'unknown'} cannot hold an OSD"
    if disk.name.startswith(VOLATILE):
        yield "Volatile", "its content does not outlive a reboot or lives elsewhere"
    if disk.size == 0:
        yield "NoSize", "has size 0"
    if disk.read_only:
        yield "ReadOnly", "is read-only"
    if disk.removable:
        yield "Removable", "is a removable medium"


def _around(disk: Disk, tree: Tree) -> Iterator[Finding]:
    """What the disk around a partition is as a whole: its partitions are then not to be believed.

    A RAID whose mark is at the end of its disks shows the partitions of what it holds on each.
    """
    whole = tree.parent(disk)
    if whole is None or disk.type != "part":
        return
    if whole.multipath_member or whole.filesystem == "mpath_member":
        text = "is one path to a multipath device, which is looked at instead"
        yield "MultipathMember", f"{whole.stable_path}, the disk around it, {text}"
    held = [name for name in (whole.filesystem, *whole.signatures) if name]
    held = [name for name in held if name != whole.partition_table]
    if held:
        text = ", ".join(dict.fromkeys(held))
        yield "Filesystem", f"{whole.stable_path}, the disk around it, holds {text}"
    if any(whole.mountpoints):
        text = ", ".join(whole.mountpoints)
        yield "Mounted", f"{whole.stable_path}, the disk around it, is mounted on {text}"
    if whole.holders:
        text = ", ".join(whole.holders)
        yield "InUse", f"{whole.stable_path}, the disk around it, is used by {text}"


def _content(disk: Disk, tree: Tree) -> Iterator[Finding]:
    if any(disk.mountpoints):
        yield "Mounted", f"is mounted on {', '.join(disk.mountpoints)}"
    if disk.multipath_member or disk.filesystem == "mpath_member":
        yield "MultipathMember", "is one path to a multipath device, which is looked at instead"
    held = [name for name in (disk.filesystem, *disk.signatures) if name]
    if disk.unfinished:
        held = [name for name in held if name not in HALF_MADE]
    partitions = [child for child in disk.children if _is_partition(tree, child)]
    if partitions:
        yield "HasChildren", f"has {', '.join(partitions)}; those are looked at instead"
    if held:
        yield "Filesystem", f"holds {', '.join(dict.fromkeys(held))}"
    if disk.partition_table and disk.type != "part":
        yield "PartitionTable", f"has a {disk.partition_table} partition table"
    if disk.unfinished:
        return
    if disk.children and not partitions:
        yield "HasChildren", f"has {', '.join(disk.children)}; those are looked at instead"
    if disk.holders:
        yield "InUse", f"is used by {', '.join(disk.holders)}"


def _is_partition(tree: Tree, name: str) -> bool:
    child = tree.by_name.get(name)
    return child is not None and child.type == "part"


def limits(disk: Disk, host: Host, request: Request) -> Iterator[Finding]:
    """What rules out a device that the manifest asks for, in the way that it asks for it."""
    if disk.type == "loop" and not host.allow_loop_devices:
        yield "LoopNotAllowed", "set ceph_allow_loop_devices in the inventory to use loop devices"
    if disk.type == "loop" and not request.name:
        yield "NotExplicit", "loop devices are used only when a devices entry names them"
    if disk.type == "lvm" and "/" not in request.name:
        text = "logical volumes are used only when a devices entry gives their path"
        yield "NotExplicit", text
    each = disk.size // request.settings.osds_per_device
    if each < MINIMUM_BYTES:
        text = f"{each} bytes are less than the 5 GiB that an OSD needs"
        yield "TooSmall", text
    yield from _not_possible(disk, request)


def _not_possible(disk: Disk, request: Request) -> Iterator[Finding]:
    wanted = request.settings
    kind = {"lvm": "a logical volume", "part": "a partition"}.get(disk.type)
    if kind and wanted.encrypted:
        yield "EncryptionNotPossible", f"is {kind}, and ceph-volume encrypts whole disks only"
    if kind and wanted.osds_per_device > 1:
        text = f"is {kind}, and osdsPerDevice {wanted.osds_per_device} needs a whole disk"
        yield "SeveralNotPossible", text
