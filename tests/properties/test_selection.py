"""Whatever the manifest says: nothing that holds anything is taken, and nothing is taken twice."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.model.decisions import Decision, Mode, State
from orchestrator.model.facts import Device, OsdLabel
from orchestrator.model.names import OsdId
from tests.fakes import facts
from tests.fakes.facts import GIB, disk
from tests.fakes.selecting import ALL, decisions

LABELS = st.builds(
    OsdLabel,
    id=st.integers(-1, 3),
    uuid=st.sampled_from([facts.uuid(1), facts.uuid(2)]),
    fsid=st.sampled_from([facts.OURS, facts.OTHER, ""]),
)
NAMES = ("sda", "sdb", "sdb1", "dm-0", "loop1", "sr0", "nvme0n1")
DEVICES = st.builds(
    disk,
    st.sampled_from(NAMES),
    type=st.sampled_from(["disk", "part", "lvm", "loop", "rom", "mpath", "crypt", ""]),
    size=st.sampled_from([0, GIB, 10 * GIB, 4000 * GIB]),
    filesystem=st.sampled_from(["", "", "", "ext4", "LVM2_member", "crypto_LUKS"]),
    signatures=st.sampled_from([(), (), ("gpt",), ("zfs_member",)]),
    partition_table=st.sampled_from(["", "", "gpt", "atari"]),
    mountpoints=st.sampled_from([(), (), ("/",)]),
    holders=st.sampled_from([(), (), ("dm-9",)]),
    children=st.sampled_from([(), (), ("sdb1",), ("dm-0",)]),
    parent=st.sampled_from(["", "sda", "sdb"]),
    error=st.sampled_from(["", "", "", "I/O error"]),
    read_only=st.booleans(),
    removable=st.booleans(),
    wwn=st.sampled_from(["", "0x5"]),
    osd=st.none() | LABELS,
)
CONFIGS = st.dictionaries(
    st.sampled_from(["osdsPerDevice", "limit"]), st.sampled_from(["1", "2"])
) | st.sampled_from([{}, {"metadataDevice": "sdb"}, {"encryptedDevice": "true"}, {"size": "1G:"}])
STORAGES = st.one_of(
    st.builds(lambda config: {**ALL, "config": config}, CONFIGS),
    st.builds(lambda config: {"useAllNodes": True, "deviceFilter": ".", "config": config}, CONFIGS),
    st.builds(
        lambda config: {
            "useAllNodes": True,
            "config": config,
            "devices": [{"name": name} for one in NAMES for name in (one, f"/dev/{one}")],
        },
        CONFIGS,
    ),
)


@settings(max_examples=600)
@given(
    storage=STORAGES,
    disks=st.lists(DEVICES, max_size=5, unique_by=lambda one: one.name),
    loops=st.booleans(),
)
def test_nothing_that_holds_anything_is_ever_selected(
    *, storage: dict[str, object], disks: list[Device], loops: bool
) -> None:
    by_name = {one.name: one for one in disks}
    for one in decisions(storage, *disks, allow_loop_devices=loops):
        if one.state is not State.SELECTED:
            assert one.wanted is None
            continue
        found = one.disk
        assert one.wanted
        assert not any((*found.mountpoints, found.error, found.read_only, found.removable))
        assert found.size >= 5 * GIB
        assert found.osd is None or found.osd.fsid == facts.OURS
        if one.code != "PartlyPrepared":
            assert not any((found.osd, found.filesystem, *found.signatures, *found.holders))
            assert not found.children
            assert not found.partition_table or found.type == "part"
        parent = by_name.get(found.parent)
        assert not (parent and parent.osd and found.type == "part")


BLANK = st.builds(
    disk,
    st.sampled_from(["sda", "sdb", "sdc", "sdd", "nvme0n1"]),
    size=st.sampled_from([10 * GIB, 40 * GIB, 4000 * GIB]),
    rotational=st.booleans(),
    wwn=st.sampled_from(["", "", "0x5"]),
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "osdsPerDevice": st.sampled_from(["1", "2", "3"]),
        "limit": st.sampled_from(["1", "2", "3"]),
        "metadataDevice": st.sampled_from(["nvme0n1", "/dev/disk/by-id/wwn-sdb"]),
        "rotational": st.sampled_from(["0", "1"]),
        "size": st.sampled_from(["20G:", ":50G"]),
    },
)


@settings(max_examples=300)
@given(config=SETTINGS, disks=st.lists(BLANK, max_size=5, unique_by=lambda one: one.name))
def test_after_preparing_the_same_manifest_selects_nothing_more(
    config: dict[str, str], disks: list[Device]
) -> None:
    storage = {**ALL, "config": config}
    first = decisions(storage, *disks)

    second = decisions(storage, *prepared(first))

    assert [one for one in second if one.state is State.SELECTED] == []
    before = {osd for one in second for osd in one.osds}
    assert len(before) == sum(one.wanted.osds_per_device for one in first if one.wanted)


def prepared(found: tuple[Decision, ...]) -> list[Device]:
    """The devices as ceph-volume leaves them."""
    after: list[Device] = []
    number = 0
    for one in found:
        count = one.wanted.osds_per_device if one.wanted else 0
        labels = [label(number + index) for index in range(count)]
        number += count
        if one.wanted and one.wanted.mode is Mode.LVM:
            after += in_volumes(one.disk, labels)
        elif one.wanted:
            after.append(replace(one.disk, osd=labels[0], filesystem="ceph_bluestore"))
        else:
            after.append(one.disk)
    return after


def label(number: int) -> OsdLabel:
    return OsdLabel(id=OsdId(number), uuid=facts.uuid(number), fsid=facts.OURS)


def in_volumes(whole: Device, labels: list[OsdLabel]) -> list[Device]:
    volumes = [
        disk(
            f"dm-{one.id}",
            type="lvm",
            parent=whole.name,
            osd=one,
            size=whole.size // len(labels),
            filesystem="ceph_bluestore",
        )
        for one in labels
    ]
    names = tuple(one.name for one in volumes)
    held = replace(whole, filesystem="LVM2_member", children=names, holders=names)
    return [held, *volumes]
