"""OSDs: what is prepared and started, and what is left alone."""

from dataclasses import replace

from orchestrator.model.decisions import WantedDevice
from orchestrator.model.facts import Conf, DaemonType, LvmOsd, Osd, Taint, Unfinished
from orchestrator.model.plan import OsdHost
from orchestrator.planning import osds, topology
from tests.fakes import facts
from tests.fakes.facts import GIB
from tests.fakes.osds import ALL, SDC, lines, notices, with_disks


def test_a_healthy_cluster_needs_nothing_and_nothing_is_said():
    assert lines(facts.healthy()) == []
    assert notices(facts.healthy()) == []


def test_blank_disks_of_all_hosts_are_prepared_in_one_step():
    found = with_disks(facts.healthy(), "store-a", facts.disk("sdc", model="ST480"))
    found = with_disks(found, "store-b", facts.disk("sdc", by_id=""))

    storage = {**ALL, "config": {"deviceClass": "ssd"}}
    (step,) = osds.planned(facts.context(found, storage=storage)).steps

    assert [change.reason for change in step.changes] == [
        "10.0 GiB ST480, matched by useAllDevices",
        "10.0 GiB disk, matched by useAllDevices",
    ]
    assert step.hosts == (
        OsdHost(
            host="store-a",
            crush_location="root=default host=store-a",
            record=osds.osd_record(facts.spec(), found.hosts["store-a"]),
            devices=(WantedDevice(path="/dev/disk/by-id/wwn-sdc", device_class="ssd"),),
        ),
        OsdHost(
            host="store-b",
            crush_location="root=default host=store-b",
            record=osds.osd_record(facts.spec(), found.hosts["store-b"]),
            devices=(WantedDevice(path="/dev/sdc", size=10 * GIB, device_class="ssd"),),
        ),
    )


def test_stopped_osds_start_together_and_with_new_disks():
    found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, active="failed")
    found = with_disks(found, "store-b", facts.disk("sdc"))

    assert lines(found) == [
        [
            "start osd.0 on store-a: ceph-osd@0 is failed",
            f"prepare osd on {SDC} on store-b: 10.0 GiB disk, matched by useAllDevices",
        ]
    ]


def test_large_disks_are_given_in_tebibytes_and_several_osds_are_counted():
    found = with_disks(facts.healthy(), "store-a", facts.disk("sdc", size=4 * 10**12))

    assert lines(found, storage={**ALL, "config": {"osdsPerDevice": "2"}}) == [
        [f"prepare 2 osds on {SDC} on store-a: 3.6 TiB disk, matched by useAllDevices"]
    ]


def test_a_preparation_that_was_cut_off_is_cleared_up_though_nothing_asks_for_the_disk():
    host = facts.healthy().hosts["store-a"]
    left = Unfinished(device="/dev/sdq", by_id="/dev/disk/by-id/wwn-sdq", fsid=facts.OURS)
    foreign = Unfinished(by_id="/dev/sdr", fsid=facts.OTHER)
    found = facts.changed(facts.healthy(), replace(host, unfinished=(left, foreign)))

    (step,) = osds.planned(facts.context(found)).steps

    assert [change.subject for change in step.changes] == [
        "unfinished osd on /dev/disk/by-id/wwn-sdq"
    ]
    assert [(one.host, one.devices, one.osds) for one in step.hosts] == [("store-a", (), ())]


def test_a_preparation_that_was_cut_off_on_a_selected_disk_is_one_change():
    disk = facts.disk("sdc", unfinished=True, filesystem="ceph_bluestore")
    host = facts.healthy().hosts["store-a"]
    left = Unfinished(device="/dev/sdc", by_id=SDC, fsid=facts.OURS)
    again = "cut off before; matched by useAllDevices"
    changed = replace(host, unfinished=(left,), devices=(*host.devices, disk))

    assert lines(facts.changed(facts.healthy(), changed)) == [
        [f"prepare osd on {SDC} on store-a: 10.0 GiB disk, {again}"]
    ]


def test_an_osd_in_a_closed_encrypted_volume_is_known_by_its_tags():
    host = facts.healthy().hosts["store-c"]
    osd = LvmOsd(id=2, uuid=facts.uuid(2), fsid=facts.OURS, devices=("/dev/sdb",), encrypted=True)
    disk = facts.disk("sdb", filesystem="LVM2_member")
    bare = replace(host, daemons=(facts.mon("c"),), devices=(disk,), osds_lvm=(osd,))

    assert lines(facts.changed(facts.healthy(), bare)) == [
        ["activate osd.2 on store-c: its disk is here and no unit starts it"]
    ]


def test_a_disk_whose_unit_is_gone_is_activated():
    host = facts.healthy().hosts["store-c"]
    bare = replace(host, daemons=(facts.mon("c"),))

    assert lines(facts.changed(facts.healthy(), bare)) == [
        ["activate osd.2 on store-c: its disk is here and no unit starts it"]
    ]


def test_an_old_ceph_conf_is_named_once_for_all_osds_of_a_host():
    bare = facts.host("store-d", conf=Conf())
    numbers = range(10, 14)
    host = replace(
        bare,
        devices=tuple(facts.osd_disk(f"sd{number}", number) for number in numbers),
        daemons=tuple(facts.osd(number, bare) for number in numbers),
    )
    known = tuple(Osd(id=number, uuid=facts.uuid(number), up=True) for number in numbers)
    view = facts.view(osds=(*facts.view().osds, *known))

    assert lines(facts.changed(facts.healthy(), host, cluster=view)) == [
        ["repair /etc/ceph/ceph.conf on store-d: it is missing"]
    ]


def test_a_label_that_ceph_does_not_know_is_left_alone_and_named():
    found = with_disks(facts.healthy(), "store-a", facts.osd_disk("sdx", 7))

    assert lines(found) == []
    assert notices(found) == [("OrphanOsd", "store-a")]


def test_a_label_with_another_uuid_than_cephs_is_left_alone():
    view = facts.view(osds=(Osd(id=0, uuid=facts.uuid(99), up=True), *facts.view().osds[1:]))
    found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, active="failed")
    found = replace(found, cluster=view)

    assert lines(found) == []
    assert notices(found) == [("OrphanOsd", "store-a")]


def test_osds_of_which_ceph_did_not_tell_are_neither_orphans_nor_forgotten():
    found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, active="failed")
    found = replace(found, cluster=facts.view(osds=(), unanswered=("osds",)))

    assert lines(found) == [["start osd.0 on store-a: ceph-osd@0 is failed"]]
    assert notices(found) == []


def test_a_stopped_osd_without_its_disk_is_named_and_not_started():
    host = facts.healthy().hosts["store-a"]
    stopped = replace(facts.osd(0, host), active="failed")
    found = facts.changed(
        facts.healthy(), replace(host, devices=(), daemons=(facts.mon("a"), stopped))
    )

    assert lines(found) == []
    assert ("OsdDiskMissing", "store-a") in notices(found)


def test_an_osd_that_the_manifest_no_longer_names_keeps_running():
    storage = {"useAllNodes": False, "nodes": [{"name": "store-b", "useAllDevices": True}]}
    found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, active="failed")

    assert lines(found, storage=storage) == [["start osd.0 on store-a: ceph-osd@0 is failed"]]
    assert ("OsdNotInManifest", "store-a") in notices(found, storage=storage)


def test_a_silent_host_and_one_without_the_programs_get_no_work():
    bare = replace(facts.healthy().hosts["store-b"], binaries=("ceph-mon",), devices=())
    found = facts.changed(facts.healthy(), bare, facts.silent("store-c"))
    found = with_disks(found, "store-b", facts.disk("sdc"))

    assert lines(found) == []
    assert notices(found) == [("MissingPackage", "store-b")]


def test_the_crush_host_has_no_dots_and_the_root_is_the_manifests():
    host = facts.host("store-a.example.net", addresses=())
    spec = facts.spec(storage={**ALL, "config": {"crushRoot": "racks"}})

    assert topology.location(spec, facts.healthy(), host) == "root=racks host=store-a-example-net"


AWAY = {
    "osd": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": (
                    {"matchExpressions": ({"key": "disk", "operator": "Exists"},)},
                )
            }
        }
    }
}
WHY = "placement of osd: nodeAffinity asks for disk Exists (it has none)"


def messages(found, **spec):
    planned = osds.planned(facts.context(found, **spec))
    return [(one.code, one.host, one.message) for one in planned.notices]


def test_no_osd_is_made_where_placement_does_not_take_the_host_and_those_there_stay():
    found = with_disks(facts.healthy(), "store-a", facts.disk("sdc"))
    found = with_disks(found, "store-b", facts.disk("sdc"))
    labelled = replace(found.hosts["store-b"], labels={"disk": "hdd"})
    found = facts.changed(found, labelled)

    assert lines(found, placement=AWAY, storage=ALL) == [
        [f"prepare osd on {SDC} on store-b: 10.0 GiB disk, matched by useAllDevices"]
    ]
    kept = (
        "the manifest does not ask for the devices of osd.0; they keep running, for an OSD is "
        f"never removed because it is not mentioned. No new one is made here: {WHY}"
    )
    assert ("OsdNotInManifest", "store-a", kept) in messages(found, placement=AWAY, storage=ALL)


def test_a_stopped_osd_is_started_where_no_new_one_would_be_made():
    found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, active="failed")

    assert lines(found, placement=AWAY) == [["start osd.0 on store-a: ceph-osd@0 is failed"]]


def test_a_named_host_that_placement_leaves_out_is_said():
    named = {"nodes": ({"name": "store-a", "useAllDevices": True},)}

    text = f"no OSD is made on store-a: {WHY}"
    found = messages(facts.healthy(), placement=AWAY, storage=named, dataDirHostPath="/a")
    assert ("HostExcluded", None, text) in found


def test_hosts_that_are_all_left_out_are_said():
    text = f"no OSD is made on store-a, store-b, store-c: {WHY}"
    found = messages(facts.healthy(), placement=AWAY, storage=ALL)

    assert ("HostExcluded", None, text) in found


def test_a_cordoned_host_gets_no_osd_unless_the_manifest_says_always():
    cordoned = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
    found = with_disks(facts.healthy(), "store-a", facts.disk("sdc"))
    found = facts.changed(found, replace(found.hosts["store-a"], taints=(cordoned,)))

    assert lines(found, storage=ALL) == []
    assert len(lines(found, storage={**ALL, "scheduleAlways": True})) == 1


def test_networks_are_what_an_osd_reads_only_at_its_start():
    host = facts.healthy().hosts["store-a"]
    ranges = {"public": ["192.0.2.0/24"], "cluster": ["10.0.0.0/24", "10.0.1.0/24"]}
    spec = facts.spec(network={"addressRanges": ranges})
    plain, more = osds.osd_record(facts.spec(), host), osds.osd_record(spec, host)

    assert osds.restart_on(facts.spec()) == ""
    assert osds.restart_on(spec) == "public=192.0.2.0/24 cluster=10.0.0.0/24,10.0.1.0/24"
    assert osds.restart_on(facts.spec(network={"ipFamily": "IPv6"})) == (
        "ms_bind_ipv4=false ms_bind_ipv6=true"
    )
    assert more.partition(".")[0] == plain
    assert more.partition(".")[2]


def limited(**resources):
    return {
        "resources": {name.replace("_", "-"): {"limits": one} for name, one in resources.items()}
    }


def test_a_limit_of_cpu_changes_osds_without_a_restart():
    spec = limited(osd={"cpu": 2})
    (step,) = osds.planned(facts.context(facts.healthy(), **spec)).steps

    assert step.changes[0].reason == "its description changed"
    assert [host.restarts for host in step.hosts] == [(), (), ()]
    assert step.hosts[0].classes[""].resources.cpu_limit == 2000
    assert step.hosts[0].classes[""].environment == {}


def test_a_limit_of_memory_needs_a_restart_which_waits_to_be_asked_for():
    planned = osds.planned(facts.context(facts.healthy(), **limited(osd={"memory": "4Gi"})))

    assert planned.restarts.waiting == (0, 1, 2)


def test_a_class_has_its_own_amounts_and_ceph_says_which_osd_is_of_it():
    found = facts.healthy()
    seen = replace(
        found.cluster,
        osds=tuple(
            replace(one, device_class="ssd" if one.id == 1 else "hdd") for one in found.cluster.osds
        ),
    )
    found = facts.changed(found, cluster=seen)
    (step,) = osds.planned(facts.context(found, **limited(osd_ssd={"cpu": 2}))).steps

    assert [change.subject for change in step.changes] == ["osd.1"]
    (host,) = step.hosts
    assert host.classes["ssd"].record != host.classes[""].record
    assert host.device_classes == {1: "ssd"}


def test_nothing_is_said_of_classes_where_nothing_is_limited():
    found = with_disks(facts.healthy(), "store-a", facts.disk("sdc"))
    (step,) = osds.planned(facts.context(found, storage=ALL)).steps

    assert step.hosts[0].classes == {}


def test_the_amounts_of_a_node_are_for_its_osds():
    node = {"name": "store-a", "useAllDevices": True, "resources": {"limits": {"cpu": 3}}}
    spec = {"storage": {"nodes": (node,)}, "dataDirHostPath": "/a"}
    (step,) = osds.planned(facts.context(facts.healthy(), **spec)).steps

    assert [(one.subject, one.host) for one in step.changes] == [("osd.0", "store-a")]
