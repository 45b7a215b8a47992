"""OSDs: what is prepared, started and restarted, and what is left alone."""

from dataclasses import replace

from orchestrator.model.decisions import WantedDevice
from orchestrator.model.facts import (
    Conf,
    DaemonType,
    Facts,
    LvmOsd,
    Osd,
    Restarts,
    StopAnswer,
    Taint,
    Unfinished,
)
from orchestrator.model.plan import OsdHost
from orchestrator.planning import osds, topology
from tests.fakes import facts

SDC = "/dev/disk/by-id/wwn-sdc"
ALL = {"useAllNodes": True, "useAllDevices": True}


def lines(found, **spec):
    return [
        [f"{one.action} {one.subject} on {one.host}: {one.reason}" for one in step.changes]
        for step in osds.planned(facts.context(found, **spec)).steps
    ]


def notices(found, **spec):
    return [(one.code, one.host) for one in osds.planned(facts.context(found, **spec)).notices]


def blocked(found, **spec):
    return [(one.code, one.host) for one in osds.planned(facts.context(found, **spec)).blocked]


def with_disks(found: Facts, name, *disks):
    host = found.hosts[name]
    return facts.changed(found, replace(host, devices=(*host.devices, *disks)))


def stoppable(osd, *together):
    return StopAnswer(osd=osd, ok=True, osds=(osd, *together))


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
            devices=(WantedDevice(path="/dev/sdc", device_class="ssd"),),
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


def outdated(*names, **view):
    """Facts in which the OSDs of these hosts run by an older description."""
    found = facts.healthy()
    for name in names:
        found = facts.with_daemon(found, name, DaemonType.OSD, record="old.net")
    return replace(found, cluster=facts.view(**view))


def test_c37_ceph_is_asked_before_anything_restarts():
    part = osds.planned(facts.context(outdated("store-a", "store-b")))

    assert part.asks
    assert part.steps == ()
    assert part.restarts == Restarts(waiting=(0, 1), begun=(0, 1), at_once=20)
    assert [(one.code, one.transient) for one in part.blocked] == [("NotOkToStop", True)]


def test_those_that_ceph_allows_together_restart_in_one_step_across_hosts():
    found = outdated("store-a", "store-b", "store-c", ok_to_stop=(stoppable(0, 2),))

    (step,) = osds.planned(facts.context(found)).steps

    assert [(one.host, one.restarts) for one in step.hosts] == [
        ("store-a", (0,)),
        ("store-c", (2,)),
    ]
    assert step.need_consent
    assert step.next == Restarts(waiting=(1,), begun=(0, 1, 2), at_once=20)
    assert [f"{one.action} {one.subject}: {one.reason}" for one in step.changes] == [
        "update osd.0: its description changed",
        "update osd.2: its description changed",
    ]


def test_c37_one_that_may_not_stop_is_told_of_and_stops_nobody():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", "store-b", ok_to_stop=(refused, stoppable(1)))
    begun = replace(found, restarts=Restarts(begun=(0, 1, 2)))

    part = osds.planned(facts.context(begun))

    assert [host.restarts for step in part.steps for host in step.hosts] == [(1,)]
    assert part.blocked == ()
    (notice,) = (one for one in part.notices if one.code == "RestartsFollow")
    assert notice.message == ("OSDs restarted so far: 1 of 3; osd.0: pg 11.3 would become inactive")


def test_c37_when_none_may_stop_the_rest_goes_on_and_it_is_tried_later():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", ok_to_stop=(refused,))
    found = with_disks(found, "store-a", facts.disk("sdc"))
    begun = replace(found, restarts=Restarts(begun=(0, 1, 2)))

    part = osds.planned(facts.context(begun))

    assert [(len(one.devices), one.osds, one.ignored) for one in part.steps[0].hosts] == [
        (1, (), (facts.uuid(0),))
    ]
    assert len(part.steps) == 1
    (reason,) = part.blocked
    assert (reason.code, reason.transient) == ("NotOkToStop", True)
    assert reason.message == (
        "OSDs restarted so far: 2 of 3; osd.0: pg 11.3 would become inactive; wait, or let "
        "spec.continueUpgradeAfterChecksEvenIfNotHealthy restart them one at a time all the same, "
        "which stops the clients of such placement groups meanwhile"
    )


def test_c37_going_on_regardless_needs_no_consent():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", "store-b", ok_to_stop=(refused,))
    long_enough = replace(found, restarts=Restarts(refused=True, refused_seconds=600))
    context = facts.context(long_enough, continueUpgradeAfterChecksEvenIfNotHealthy=True)

    (step,) = osds.planned(context).steps

    assert (step.need_consent, [one.restarts for one in step.hosts]) == (False, [(0,)])


def test_going_on_regardless_waits_first_and_tells_how_long():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", ok_to_stop=(refused,))
    waited = replace(found, restarts=Restarts(refused=True, refused_seconds=130))
    spec = {
        "continueUpgradeAfterChecksEvenIfNotHealthy": True,
        "waitTimeoutForHealthyOSDInMinutes": 5,
    }

    part = osds.planned(facts.context(waited, **spec))

    assert (part.steps, part.restarts.refused) == ((), True)
    (reason,) = part.blocked
    assert (reason.code, reason.transient) == ("NotOkToStop", True)
    assert reason.message.endswith(
        "pg 11.3 would become inactive; one of them restarts all the same in 3 min, unless Ceph "
        "allows it before (spec.waitTimeoutForHealthyOSDInMinutes)"
    )


def test_without_checks_osds_restart_one_after_the_other_and_nobody_is_asked():
    part = osds.planned(facts.context(outdated("store-a", "store-b"), skipUpgradeChecks=True))

    (step,) = part.steps
    assert (step.need_consent, [one.restarts for one in step.hosts]) == (False, [(0,)])
    assert (part.asks, step.next.waiting) == (False, ())


def test_a_step_for_new_osds_does_not_touch_those_that_wait():
    found = outdated("store-a", ok_to_stop=(stoppable(0),))
    found = with_disks(found, "store-a", facts.disk("sdc"))

    quiet, restarts = osds.planned(facts.context(found)).steps

    assert [(len(one.devices), one.osds, one.ignored) for one in quiet.hosts] == [
        (1, (), (facts.uuid(0),))
    ]
    assert [(len(one.devices), one.osds, one.ignored) for one in restarts.hosts] == [(0, (0,), ())]


def test_a_restart_leaves_those_of_its_host_that_still_wait():
    host = outdated("store-a").hosts["store-a"]
    other = facts.osd(7, host, record="old.net")
    found = facts.changed(
        facts.healthy(),
        replace(
            host,
            daemons=(*host.daemons, other),
            devices=(*host.devices, facts.osd_disk("sdx", 7)),
        ),
        cluster=facts.view(
            osds=(*facts.view().osds, Osd(id=7, uuid=facts.uuid(7), up=True)),
            ok_to_stop=(stoppable(0),),
        ),
    )

    (step,) = osds.planned(facts.context(found)).steps

    assert [(one.restarts, one.ignored) for one in step.hosts] == [((0,), (facts.uuid(7),))]


def test_what_needs_no_restart_waits_for_nobody():
    drifted = {"drifted": ("/etc/x: missing",)}
    for values in (drifted, {"record": ""}, {"record": "old"}, {"enabled": False}):
        found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, **values)
        part = osds.planned(facts.context(found))

        assert [(host.osds, host.restarts) for host in part.steps[0].hosts] == [((0,), ())]
        assert not part.asks


def test_osds_of_hosts_that_the_manifest_gave_up_are_not_restarted():
    storage = {"nodes": [{"name": "store-b", "useAllDevices": True}]}
    part = osds.planned(facts.context(outdated("store-a"), storage=storage))

    assert (part.steps, part.blocked, part.asks) == ((), (), False)


DIRTY = {"pgmap": {"num_pgs": 2, "pgs_by_state": [{"state_name": "active+clean", "count": 1}]}}


def test_c39_restarts_wait_for_clean_pgs_where_that_is_wanted_and_new_osds_do_not():
    found = outdated("store-a", status=DIRTY, ok_to_stop=(stoppable(0),))
    found = with_disks(found, "store-b", facts.disk("sdc"))
    wanted = {"upgradeOSDRequiresHealthyPGs": True}

    assert lines(found, **wanted) == [
        [f"prepare osd on {SDC} on store-b: 10.0 GiB disk, matched by useAllDevices"]
    ]
    assert blocked(found, **wanted) == [("PgsNotClean", None)]
    assert blocked(found) == []
    assert len(lines(found)) == 2
    assert len(lines(found, **wanted, skipUpgradeChecks=True)) == 2


def test_c39_the_wait_passes_by_itself_and_names_osds_and_states():
    found = outdated("store-a", "store-b", status={})

    (reason,) = osds.planned(facts.context(found, upgradeOSDRequiresHealthyPGs=True)).blocked

    assert reason.transient
    assert reason.message == (
        "osd.0, osd.1 wait for their restart: placement groups are not clean "
        "(Ceph did not tell their states)"
    )


def test_stopped_osds_start_whatever_the_pgs_are():
    found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, active="failed")
    found = replace(found, cluster=facts.view(status=DIRTY))

    assert lines(found) == [["start osd.0 on store-a: ceph-osd@0 is failed"]]
    assert blocked(found) == []


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
