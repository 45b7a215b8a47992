"""How a cluster goes: in a safe order, only what is its own, and data only when confirmed."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import (
    NO_FSID,
    Conf,
    DaemonType,
    LvmOsd,
    PutAside,
    Service,
    StoredIdentity,
)
from orchestrator.model.names import OsdId
from orchestrator.model.plan import AbsentStep, CleanupStep, Remains, Sanitizing
from tests.fakes import facts

CONFIRMED = {"confirmation": "yes-really-destroy-data"}
WORDS = {"cleanupPolicy": CONFIRMED}


def healthy():
    """As hosts tell it: nothing that a mgr has names its cluster."""
    seen = facts.healthy()
    for name in seen.hosts:
        seen = facts.with_daemon(seen, name, DaemonType.MGR, fsid=NO_FSID)
    return seen


def plan(seen, **spec):
    return planning.plan(facts.spec(**spec), seen, deleting=True)


def lines(found):
    return [
        [f"{one.action} {one.subject} on {one.host}" for one in step.changes]
        for step in found.steps
    ]


def stopped(seen):
    """The cluster after its daemons were taken away; ceph.conf is still there."""
    idle = {"active": "inactive", "enabled": False, "record": ""}
    for name in seen.hosts:
        for kind in DaemonType:
            seen = facts.with_daemon(seen, name, kind, **idle)
    return replace(seen, cluster=None)


def bare(seen):
    """And after its configuration was, too."""
    hosts = (replace(host, conf=Conf()) for host in stopped(seen).hosts.values())
    return replace(facts.changed(stopped(seen), *hosts), identity=None)


def test_mgrs_and_osds_go_before_the_mons_and_configuration_last():
    found = plan(healthy())

    assert [type(step) for step in found.steps] == [AbsentStep, AbsentStep, CleanupStep]
    assert lines(found) == [
        [
            "remove mgr.a on store-a",
            "remove mgr.b on store-b",
            "remove osd.0 on store-a",
            "remove osd.1 on store-b",
            "remove osd.2 on store-c",
        ],
        ["remove mon.a on store-a", "remove mon.b on store-b", "remove mon.c on store-c"],
        [f"remove /etc/ceph/ceph.conf on store-{letter}" for letter in "abc"],
    ]
    assert {one.reason for one in found.changes} == {"the cluster is deleted"}
    assert not found.blocked


def test_without_the_words_no_data_goes_and_ceph_is_told_nothing():
    found = plan(healthy())

    absent = [step for step in found.steps if isinstance(step, AbsentStep)]
    assert {one.data for step in absent for one in step.daemons} == {Remains.KEEP}
    assert [(step.unmapped, step.users) for step in absent] == [((), ()), ((), ())]
    last = found.steps[-1]
    assert last.destroy is None
    assert {(one.daemons, one.devices, one.osds) for one in last.hosts} == {((), (), ())}


def test_with_the_words_disks_data_and_keys_go_in_the_last_step():
    seen = healthy()
    host = replace(seen.hosts["store-a"], admin_keyring=True)
    disks = {"method": "complete", "dataSource": "random", "iteration": 3}

    found = plan(facts.changed(seen, host), cleanupPolicy={**CONFIRMED, "sanitizeDisks": disks})

    last = found.steps[-1]
    assert last.destroy == Sanitizing(method="complete", data_source="random", iteration=3)
    assert last.hosts[0].devices == ("/dev/disk/by-id/wwn-sdb",)
    assert [f"{kind}.{name}" for kind, name in last.hosts[0].daemons] == ["mon.a", "osd.0", "mgr.a"]
    assert lines(found)[-1][:5] == [
        "destroy osd.0 on /dev/disk/by-id/wwn-sdb on store-a",
        "destroy data of mon.a on store-a",
        "destroy data of osd.0 on store-a",
        "destroy data of mgr.a on store-a",
        "destroy keys of the cluster on store-a",
    ]
    assert found.steps[-1].changes[0].reason == (
        "confirmed by cleanupPolicy, all of it is overwritten with random 3 times"
    )


def test_what_is_half_done_goes_on_where_it_stopped():
    half = facts.with_daemon(
        healthy(), "store-a", DaemonType.OSD, active="inactive", enabled=False, record=""
    )

    assert "remove osd.0 on store-a" not in lines(plan(half))[0]
    assert [type(step) for step in plan(stopped(healthy())).steps] == [CleanupStep]


@pytest.mark.parametrize(
    "left",
    [{"active": "failed"}, {"active": "unknown"}, {"enabled": True}, {"record": "r"}],
    ids=str,
)
def test_a_daemon_is_gone_only_when_nothing_of_it_is_set_up(left):
    seen = facts.with_daemon(bare(healthy()), "store-a", DaemonType.MON, **left)

    assert lines(plan(seen)) == [["remove mon.a on store-a"]]


def test_nothing_is_left_to_do_when_only_data_is_left():
    assert plan(bare(healthy())).converged


def test_the_words_can_be_said_later():
    found = plan(bare(healthy()), **WORDS)

    assert [type(step) for step in found.steps] == [CleanupStep]
    assert {host.host for host in found.steps[0].hosts} == {"store-a", "store-b", "store-c"}


def test_hosts_that_do_not_answer_are_named_and_the_others_are_cleared():
    found = plan(facts.changed(healthy(), facts.silent("store-c")))

    assert [(one.code, one.host) for one in found.blocked] == [("HostUnreachable", "store-c")]
    assert found.blocked[0].message == (
        "it cannot be told what it holds of the cluster: connection timed out; the deletion is not "
        "finished before it answers, or leaves the inventory"
    )
    assert {one.host for one in found.changes} == {"store-a", "store-b"}
    assert not plan(facts.changed(bare(healthy()), facts.silent("store-c"))).converged


def lost(**more):
    """A node of Kubernetes that is not ready."""
    return replace(facts.silent("store-c"), pods=True, **more)


def test_a_lost_node_holds_up_only_a_deletion_that_clears_its_disks():
    seen = facts.changed(bare(healthy()), lost())
    assert plan(seen).converged
    assert [one.host for one in plan(seen, **WORDS).blocked] == ["store-c"]
    going = plan(facts.changed(healthy(), lost()))
    assert going.blocked == ()
    assert {one.host for one in going.changes} == {"store-a", "store-b"}


def test_a_node_on_which_a_step_failed_holds_up_every_deletion():
    seen = facts.changed(bare(healthy()), lost(refusal="HostFailed"))
    assert [one.code for one in plan(seen).blocked] == ["HostFailed"]


def other(seen, name="store-b"):
    """A host that holds daemons and a disk of another cluster beside ours."""
    host = seen.hosts[name]
    theirs = (
        facts.daemon(DaemonType.OSD, "7", fsid=facts.OTHER),
        facts.daemon(DaemonType.MON, "x", fsid=facts.OTHER),
    )
    return facts.changed(
        seen,
        replace(
            host,
            daemons=(*host.daemons, *theirs),
            devices=(*host.devices, facts.osd_disk("sdc", 7, facts.OTHER)),
            osds_lvm=(LvmOsd(id=OsdId(8), uuid="u8", fsid=facts.OTHER, path="/dev/vg/lv"),),
        ),
    )


@pytest.mark.parametrize("spec", [{}, WORDS], ids=["kept", "destroyed"])
def test_what_belongs_to_another_cluster_is_not_in_the_plan(spec):
    assert plan(other(healthy()), **spec).steps == plan(healthy(), **spec).steps


def test_a_mgr_names_no_cluster_so_the_hosts_ceph_conf_speaks_for_it():
    seen = healthy()
    host = replace(seen.hosts["store-b"], conf=Conf(present=True, fsid=facts.OTHER))

    found = plan(facts.changed(seen, facts.host("store-d"), host), **WORDS)

    assert "mgr.b" not in " ".join(one.subject for one in found.changes)
    assert "remove /etc/ceph/ceph.conf on store-b" not in lines(found)[-1]
    assert "destroy data of mon.b on store-b" in lines(found)[-1]


def test_without_a_ceph_conf_a_mgr_beside_another_cluster_is_left_alone():
    seen = bare(healthy())
    subjects = [one.subject for one in plan(seen, **WORDS).changes]
    stored = StoredIdentity(fsid=facts.OURS, established=True)
    beside = [one.subject for one in plan(replace(other(seen), identity=stored), **WORDS).changes]

    assert "data of mgr.b" in subjects
    assert "data of mgr.b" not in beside
    assert "data of mon.b" in beside


def test_what_runs_beside_the_daemons_goes_with_the_configuration():
    seen = healthy()
    service = Service(name="crash", record="r")
    host = replace(seen.hosts["store-c"], services=(service, Service(name="logrotate")))

    found = plan(facts.changed(seen, host)).steps[-1]

    assert [one.services for one in found.hosts] == [(), (), ("crash",)]
    assert "service crash" in [one.subject for one in found.changes]
    assert not plan(facts.changed(bare(seen), replace(host, daemons=(), conf=Conf()))).converged


def aside(kind, name, fsid=facts.OURS):
    return PutAside(type=kind, id=name, fsid=fsid)


def test_a_host_that_holds_nothing_but_what_was_put_aside_is_cleared_as_well():
    stores = (aside(DaemonType.MON, "d"), aside(DaemonType.OSD, "7"))
    seen = facts.changed(bare(healthy()), facts.host("store-d", put_aside=stores))

    assert lines(plan(seen, **WORDS))[-1][-2:] == [
        "destroy data of mon.d that was put aside on store-d",
        "destroy data of osd.7 that was put aside on store-d",
    ]
    assert plan(seen).converged


@pytest.mark.parametrize("fsid", [facts.OTHER, NO_FSID], ids=["another", "unknown"])
def test_what_was_put_aside_of_no_cluster_or_another_one_stays(fsid):
    host = facts.host("store-d", put_aside=(aside(DaemonType.MON, "d", fsid),))

    found = plan(facts.changed(healthy(), host), **WORDS)

    assert "store-d" not in {one.host for one in found.changes}


def test_crash_dumps_go_with_the_data_of_the_host_alone():
    seen = healthy()
    crashed = replace(seen.hosts["store-b"], crash_dumps=2)
    client = facts.host("store-d", crash_dumps=5)
    foreign = replace(crashed, conf=Conf(present=True, fsid=facts.OTHER))

    found = plan(facts.changed(seen, crashed, client), **WORDS)

    dumps = [one for one in found.changes if "dump" in one.subject]
    assert [(one.action, one.subject, one.host) for one in dumps] == [
        ("destroy", "2 dump(s) of crashes", "store-b")
    ]
    assert "dump" not in str(plan(facts.changed(seen, crashed)).changes)
    assert "dump" not in str(plan(facts.changed(seen, foreign), **WORDS).changes)


def test_osds_in_logical_volumes_go_by_their_uuid():
    seen = healthy()
    host = seen.hosts["store-a"]
    label = facts.osd_disk("dm-0", 0, facts.OURS)
    ours = LvmOsd(id=OsdId(0), uuid=facts.uuid(0), fsid=facts.OURS, path="/dev/vg/lv")

    found = plan(
        facts.changed(seen, replace(host, devices=(label,), osds_lvm=(ours,))), **WORDS
    ).steps[-1]

    assert (found.hosts[0].devices, found.hosts[0].osds) == ((), (facts.uuid(0),))
    assert found.changes[0].subject == "osd.0 on /dev/vg/lv"


def test_two_clusters_and_no_sure_sign_are_refused_with_both():
    seen = replace(other(healthy()), cluster=None, identity=None)

    found = plan(seen, **WORDS)

    assert found.steps == ()
    assert [one.code for one in found.blocked] == ["FsidMismatch"]
    assert facts.OURS in found.blocked[0].message
    assert facts.OTHER in found.blocked[0].message


def test_a_stored_identity_says_which_of_two_is_meant():
    seen = replace(other(healthy()), cluster=None)

    assert {one.host for one in plan(seen).changes} == {"store-a", "store-b", "store-c"}
    stored = StoredIdentity(fsid=facts.OTHER, established=True)
    theirs = plan(replace(seen, identity=stored))
    assert lines(theirs) == [["remove osd.7 on store-b"], ["remove mon.x on store-b"]]


def test_a_stored_identity_that_the_mons_contradict_is_refused():
    stored = StoredIdentity(fsid=facts.OTHER, established=True)

    found = plan(replace(healthy(), identity=stored))

    assert [one.code for one in found.blocked] == ["FsidMismatch"]
    assert found.steps == ()


def test_hosts_that_hold_nothing_need_nothing():
    assert plan(facts.empty("store-a")).converged
    assert not plan(facts.changed(facts.empty("store-a"), facts.silent("store-b"))).converged


POOLS = {"df": {"pools": {"rbd": 7, "cephfs": 12}}}


def test_a_confirmed_deletion_waits_for_pools_of_users():
    found = plan(facts.changed(healthy(), cluster=facts.view(**POOLS)), **WORDS)

    assert found.steps == ()
    assert [one.code for one in found.blocked] == ["VolumesExist"]
    assert found.blocked[0].message == (
        "pools of the cluster hold data that would be destroyed: cephfs (12 objects), rbd "
        "(7 objects); remove them, or set spec.cleanupPolicy.allowUninstallWithVolumes"
    )


UNTOLD = {
    "no quorum": (None, "the mons have no quorum"),
    "not asked": (facts.view(df={}, errors=("df: too slow",)), "df: too slow"),
    "odd": (facts.view(df={"pools": None}), "Ceph did not say"),
}


@pytest.mark.parametrize(("cluster", "why"), UNTOLD.values(), ids=UNTOLD)
def test_c23_pools_that_nobody_tells_of_are_not_taken_for_none(cluster, why):
    seen = replace(healthy(), cluster=cluster)

    found = plan(seen, **WORDS)

    assert found.steps == ()
    assert [(one.code, one.transient) for one in found.blocked] == [("VolumesUnknown", True)]
    assert found.blocked[0].message == (
        f"it cannot be told whether pools of the cluster hold data ({why}), and it would be "
        "destroyed: bring the mons back, or set spec.cleanupPolicy.allowUninstallWithVolumes"
    )
    allowed = {"cleanupPolicy": {**CONFIRMED, "allowUninstallWithVolumes": True}}
    assert len(plan(seen, **allowed).steps) == 3
    assert len(plan(seen).steps) == 3


def test_pools_are_not_asked_for_again_once_the_osds_were_stopped():
    seen = stopped(healthy())
    mon = facts.with_daemon(seen, "store-a", DaemonType.MON, enabled=True)

    assert [type(step) for step in plan(seen, **WORDS).steps] == [CleanupStep]
    assert [type(step) for step in plan(mon, **WORDS).steps] == [AbsentStep, CleanupStep]


def without_quorum(taken=(), *, silent=()):
    """Mons of which some were taken away, and hosts that do not answer."""
    idle = {"active": "inactive", "enabled": False, "record": ""}
    seen = replace(healthy(), cluster=None)
    for name in taken:
        seen = facts.with_daemon(seen, name, DaemonType.MON, **idle)
    return facts.changed(seen, *(facts.silent(name) for name in silent))


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (without_quorum(("store-a", "store-b")), False),
        (without_quorum(("store-a",), silent=("store-b",)), True),
        (without_quorum(("store-a", "store-b"), silent=("store-c",)), False),
        (without_quorum(silent=("store-a", "store-b", "store-c")), False),
    ],
    ids=["taken", "may come back", "cannot come back", "nobody"],
)
def test_pools_are_waited_for_while_a_quorum_may_come_back_to_tell(seen, told):
    codes = [one.code for one in plan(seen, **WORDS).blocked]

    assert ("VolumesUnknown" in codes) is told


def test_osds_whose_mons_are_out_of_reach_are_not_destroyed_unasked():
    seen = without_quorum(silent=("store-b", "store-c"))
    host = seen.hosts["store-a"]
    osds = tuple(one for one in host.daemons if one.type is DaemonType.OSD)
    seen = facts.changed(seen, replace(host, daemons=osds))
    alone = replace(seen, hosts={"store-a": seen.hosts["store-a"]})

    assert [one.code for one in plan(seen, **WORDS).blocked][:1] == ["VolumesUnknown"]
    assert [type(step) for step in plan(alone, **WORDS).steps] == [AbsentStep, CleanupStep]


@pytest.mark.parametrize(
    "policy", [{}, {**CONFIRMED, "allowUninstallWithVolumes": True}], ids=["kept", "allowed"]
)
def test_pools_hold_nothing_up_that_keeps_them_or_was_told_so(policy):
    seen = facts.changed(healthy(), cluster=facts.view(**POOLS))

    assert len(plan(seen, cleanupPolicy=policy).steps) == 3


def test_the_words_alone_delete_nothing():
    found = planning.plan(facts.spec(**WORDS), healthy())

    assert [one.code for one in found.blocked] == ["CleanupConfirmed"]
