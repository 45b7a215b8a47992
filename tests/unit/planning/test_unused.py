"""Every disk and host that the manifest asks for and that is not used has its reason."""

from dataclasses import replace

import pytest

from orchestrator.planning import osds
from tests.fakes import facts


def part(found, **spec):
    return osds.planned(facts.context(found, **spec))


def notices(found, **spec):
    return [(one.code, one.host, one.message) for one in part(found, **spec).notices]


def on(name, *disks, kept=True):
    host = facts.healthy().hosts[name]
    own = host.devices if kept else ()
    return facts.changed(facts.healthy(), replace(host, devices=(*own, *disks)))


def test_a_used_disk_beside_the_osds_is_named():
    found = on("store-a", facts.disk("sdc", filesystem="ext4"), facts.disk("sda", type="rom"))

    assert notices(found) == [
        ("DevicesSkipped", "store-a", "not used: /dev/disk/by-id/wwn-sdc: holds ext4")
    ]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"read_only": True}, "is read-only"),
        ({"removable": True}, "is a removable medium"),
        ({"mountpoints": ("/srv",)}, "is mounted on /srv"),
    ],
)
def test_a_filter_was_written_with_some_disks_in_mind(values, why):
    found = on("store-a", facts.disk("sdc", **values))
    by_filter = {"useAllNodes": True, "deviceFilter": "^sd"}

    assert notices(found) == []
    assert notices(found, storage=by_filter) == [
        ("DevicesSkipped", "store-a", f"not used: /dev/disk/by-id/wwn-sdc: {why}")
    ]


def test_a_host_of_which_nothing_is_used_tells_all_of_its_disks():
    disks = (facts.disk("sda", mountpoints=("/",)), facts.disk("sdb", size=1))
    root = "/dev/disk/by-id/wwn-sda: is mounted on /"
    tiny = "/dev/disk/by-id/wwn-sdb: 1 bytes are less than the 5 GiB that an OSD needs"

    assert notices(on("store-a", *disks, kept=False)) == [
        ("NoDevices", "store-a", f"no device of this host is used: {root}; {tiny}")
    ]


def test_a_device_without_a_link_is_named_by_its_path():
    loop = facts.disk("loop1", type="loop", by_id="", filesystem="ext4")
    whole = "no device of this host is used: "

    (found,) = notices(on("store-a", loop, kept=False))

    assert found == ("NoDevices", "store-a", f"{whole}/dev/loop1: holds ext4")


def test_a_host_without_any_disk_is_named():
    assert notices(on("store-a", kept=False)) == [
        (
            "NoDevices",
            "store-a",
            "no device of this host is used: it has no block devices",
        )
    ]


def test_a_long_list_is_cut():
    disks = tuple(facts.disk(f"sd{letter}", filesystem="ext4") for letter in "cdefghijkl")

    (found,) = notices(on("store-a", *disks))

    assert found[2].endswith("/dev/disk/by-id/wwn-sdj: holds ext4; and 2 more")


def test_c13_a_node_that_no_host_answers_to_is_named_with_the_known_ones():
    nodes = [{"name": "ip-10-0-0-7.example"}, {"name": "STORE-A.example.net"}]

    found = notices(facts.healthy(), storage={"nodes": nodes, "useAllDevices": True})

    assert [(code, host) for code, host, _ in found] == [
        ("NodeNotFound", None),
        ("OsdNotInManifest", "store-b"),
        ("OsdNotInManifest", "store-c"),
    ]


def test_c13_an_ambiguous_name_is_refused_and_the_others_go_on():
    twins = [
        facts.host(f"store-a.{zone}.net", addresses=(), devices=(facts.disk("sdb"),))
        for zone in "xy"
    ]
    found = facts.changed(on("store-b", facts.disk("sdc")), *twins)
    found = replace(found, hosts={n: h for n, h in found.hosts.items() if n != "store-a"})
    nodes = [{"name": "store-a"}, {"name": "store-b"}, {"name": "store-c"}]

    planned = part(found, storage={"nodes": nodes, "useAllDevices": True})

    assert [one.code for one in planned.blocked] == ["AmbiguousNode"]
    assert [one.host for step in planned.steps for one in step.changes] == ["store-b"]


def test_disks_of_hosts_that_the_manifest_does_not_name_are_not_spoken_of():
    nodes = [{"name": name} for name in ("store-a", "store-c")]
    found = on("store-b", facts.disk("sdc", filesystem="ext4"), kept=False)

    assert notices(found, storage={"nodes": nodes, "useAllDevices": True}) == []


def test_c05_a_name_that_is_on_no_device_is_a_note_that_speaks_of_patterns():
    entries = [{"name": "^sd[b-h]"}, {"name": "sdb"}]

    assert notices(on("store-a"), storage={"useAllNodes": True, "devices": entries})[0] == (
        "DeviceNotFound",
        "store-a",
        (
            "no device of this host is named ^sd[b-h]; a name is taken literally, deviceFilter is "
            "the field for a pattern"
        ),
    )


def test_a_name_that_is_no_pattern_is_only_not_found():
    entries = [{"name": "sdb"}, {"name": "/dev/disk/by-id/gone"}]

    found = notices(on("store-a"), storage={"useAllNodes": True, "devices": entries})

    assert found[0] == (
        "DeviceNotFound",
        "store-a",
        "no device of this host is named /dev/disk/by-id/gone",
    )


def test_c09_an_impossible_entry_is_an_error_of_that_entry_and_the_others_are_prepared():
    entries = [{"name": "sr0"}, {"name": "sdb"}, {"name": "sdc"}]
    found = on("store-a", facts.disk("sr0", type="rom"), facts.disk("sdc"))

    planned = part(found, storage={"useAllNodes": True, "devices": entries})

    assert [(one.code, one.host, one.message) for one in planned.blocked] == [
        ("TypeNotSupported", "store-a", "devices entry sr0: type rom cannot hold an OSD")
    ]
    assert [change.subject for step in planned.steps for change in step.changes] == [
        "osd on /dev/disk/by-id/wwn-sdc"
    ]


def test_c11d_a_missing_metadata_device_is_said_once_and_stops_its_host_alone():
    disks = (facts.disk("sdc"), facts.disk("sdd"))
    found = facts.changed(on("store-a", *disks), on("store-b", facts.disk("sdc")).hosts["store-b"])
    node = {"name": "store-a", "config": {"metadataDevice": "nvme0n1"}}
    nodes = [node, {"name": "store-b"}, {"name": "store-c"}]

    planned = part(found, storage={"nodes": nodes, "useAllDevices": True})

    assert [(one.code, one.host) for one in planned.blocked] == [
        ("MetadataDeviceMissing", "store-a")
    ]
    assert [change.host for step in planned.steps for change in step.changes] == ["store-b"]


def test_osds_that_the_manifest_no_longer_asks_for_stay_and_are_named():
    found = on("store-a", facts.osd_disk("sdd", 3), facts.osd_disk("sde", 4))
    known = (
        *facts.view().osds,
        *(replace(facts.view().osds[0], id=n, uuid=facts.uuid(n)) for n in (3, 4)),
    )
    found = replace(found, cluster=facts.view(osds=known))
    storage = {"useAllNodes": True, "deviceFilter": "^sdb$"}

    assert [one for one in notices(found, storage=storage) if one[0] == "OsdNotInManifest"] == [
        (
            "OsdNotInManifest",
            "store-a",
            (
                "the manifest does not ask for the devices of osd.3, osd.4; they keep running, for "
                "an OSD is never removed because it is not mentioned"
            ),
        )
    ]
