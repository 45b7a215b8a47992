"""Hosts of another cluster: set aside where ours is beyond doubt, else all is refused (C25)."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import Conf, DaemonType, StoredIdentity
from orchestrator.planning.strangers import set_aside
from tests.fakes import facts

BEGUN = StoredIdentity(fsid=facts.OURS, established=False)
CONF = Conf(present=True, fsid=facts.OTHER)
OLD_MON = {"fsid": facts.OTHER, "active": "inactive"}
SPEC = facts.spec(mgr={"count": 2})


def old_host(name, **mon):
    return facts.host(name, conf=CONF, daemons=(facts.mon("a", **{**OLD_MON, **mon}),))


def codes(plan):
    return [(reason.code, reason.host) for reason in plan.blocked]


def test_facts_of_one_cluster_are_left_as_they_are():
    seen = facts.healthy()

    assert set_aside(seen) == (seen, ())
    assert set_aside(seen)[0] is seen


def test_c25_a_living_cluster_goes_on_without_the_host_of_another_one():
    seen = facts.changed(facts.healthy(), old_host("store-d"))
    seen = facts.with_daemon(seen, "store-b", DaemonType.OSD, active="failed")

    plan = planning.plan(SPEC, seen)

    assert codes(plan) == [("FsidMismatch", "store-d")]
    assert [change.subject for change in plan.changes] == ["osd.1"]
    assert plan.blocked[0].message == (
        f"holds the Ceph cluster {facts.OTHER} (store-d:/etc/ceph/ceph.conf, "
        f"store-d:/var/lib/ceph/mon/ceph-a) and this cluster is {facts.OURS}; nothing was changed "
        "on this host. Remove those remains if nobody needs them, or leave the host out of the "
        "inventory"
    )


def test_c25_good_hosts_begin_the_stored_cluster_while_their_number_suffices():
    names = ("store-a", "store-b", "store-c", "store-d", "store-e")
    begun = replace(facts.empty(*names), identity=BEGUN)
    seen = facts.changed(begun, old_host("store-a"), facts.host("store-b", conf=CONF))

    plan = planning.plan(SPEC, seen)

    assert codes(plan) == [("FsidMismatch", "store-a"), ("FsidMismatch", "store-b")]
    mons = plan.first.parts[0]
    assert [target.host for target in mons.targets] == ["store-c", "store-d", "store-e"]
    assert plan.first.fsid == facts.OURS


def test_c25_too_few_good_hosts_begin_nothing():
    begun = replace(facts.empty("store-a", "store-b", "store-c"), identity=BEGUN)

    plan = planning.plan(SPEC, facts.changed(begun, old_host("store-a")))

    assert codes(plan) == [("FsidMismatch", "store-a"), ("MonPlacement", None)]
    assert plan.steps == ()


def test_c23_a_silent_host_still_stops_a_beginning_beside_a_stranger():
    names = ("store-a", "store-b", "store-c", "store-d", "store-e")
    begun = replace(facts.empty(*names), identity=BEGUN)
    seen = facts.changed(begun, old_host("store-a"), facts.silent("store-b"))

    assert codes(planning.plan(SPEC, seen)) == [
        ("FsidMismatch", "store-a"),
        ("ClusterStateUnknown", "store-b"),
    ]


@pytest.mark.parametrize(
    "seen",
    [
        facts.changed(facts.empty("store-b"), old_host("store-a"), identity=None),
        facts.changed(facts.empty("store-b"), old_host("store-a", active="active"), identity=BEGUN),
        replace(facts.healthy(), identity=replace(BEGUN, fsid=facts.OTHER)),
    ],
    ids=["no identity", "the other cluster runs", "another identity is stored"],
)
def test_where_it_is_not_beyond_doubt_nothing_is_set_aside(seen):
    assert set_aside(seen) == (seen, ())


def test_c25_two_clusters_without_a_stored_identity_are_refused_as_a_whole():
    seen = facts.changed(
        facts.empty("store-a", "store-b", "store-c"),
        old_host("store-a"),
        facts.host("store-b", conf=replace(CONF, fsid=facts.OURS)),
    )

    assert codes(planning.plan(SPEC, seen)) == [("FsidMismatch", None)]


def test_a_mon_of_ours_beside_foreign_remains_is_not_forgotten():
    host = replace(facts.healthy().hosts["store-c"], conf=CONF)

    plan = planning.plan(SPEC, facts.changed(facts.healthy(), host))

    assert codes(plan) == [("FsidMismatch", "store-c")]
    assert plan.steps == ()
