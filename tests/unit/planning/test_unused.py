"""Every disk and host that the manifest asks for and that is not used has its reason."""

from dataclasses import replace

from orchestrator.planning import osds
from tests.fakes import facts


def notices(found, **spec):
    return [(one.code, one.host, one.message) for one in osds.notices(facts.context(found, **spec))]


def on(name, *disks, kept=True):
    host = facts.healthy().hosts[name]
    own = host.devices if kept else ()
    return facts.changed(facts.healthy(), replace(host, devices=(*own, *disks)))


def test_a_used_disk_beside_the_osds_is_named():
    found = on("store-a", facts.disk("sdc", filesystem="ext4"), facts.disk("sda", type="rom"))

    assert notices(found) == [("DevicesSkipped", "store-a", "not used: /dev/sdc: holds ext4")]


def test_a_host_of_which_nothing_is_used_tells_all_of_its_disks():
    disks = (facts.disk("sda", mountpoints=("/",)), facts.disk("sdb", size=1))
    root = "is mounted on /"
    tiny = "/dev/sdb: 1 bytes are less than the 5 GiB that an OSD needs"

    assert notices(on("store-a", *disks, kept=False)) == [
        ("NoDevices", "store-a", f"no device of this host is used: /dev/sda: {root}; {tiny}")
    ]


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

    assert found[2].endswith("/dev/sdj: holds ext4; and 2 more")


def test_c13_a_node_that_no_host_answers_to_is_named_with_the_known_ones():
    nodes = [{"name": "ip-10-0-0-7.example"}, {"name": "STORE-A.example.net"}]

    ((code, host, message),) = notices(
        facts.healthy(), storage={"nodes": nodes, "useAllDevices": True}
    )

    assert (code, host) == ("UnknownNode", None)
    assert message == (
        "storage.nodes names ip-10-0-0-7.example, and the inventory has no such host for OSDs; "
        "it has store-a, store-b, store-c"
    )


def test_hosts_that_the_manifest_does_not_name_are_not_spoken_of():
    nodes = [{"name": "store-a"}]
    found = on("store-b", facts.disk("sdc", filesystem="ext4"))

    assert notices(found, storage={"nodes": nodes, "useAllDevices": True}) == []
