"""Why an existing daemon needs work; the first thing wrong is named."""

from dataclasses import replace

import pytest

from orchestrator.model.endpoints import Ports
from orchestrator.model.facts import Conf, DaemonType
from orchestrator.planning.upkeep import listed_mons, upkeep
from tests.fakes import facts

CONF = Conf(present=True, fsid=facts.OURS, mon_host=facts.MON_HOST)


def need(daemon, conf=CONF, others=()):
    host = facts.host("store-a", conf=conf, daemons=(*others, daemon))
    return upkeep(host, daemon, record="r", fsid=facts.OURS, mons=facts.MONS)


def test_a_daemon_as_it_was_set_up_needs_nothing():
    assert need(facts.mon("a", record="r")) is None


def test_a_daemon_that_is_to_be_left_alone_needs_nothing_of_its_own():
    daemon = facts.mon("a", record="old", drifted=("/x: missing",), active="", left_alone=True)
    assert need(daemon) is None
    found = need(replace(daemon, active="active"), conf=Conf())
    assert (found.conf_only, found.restarts) == (True, False)


@pytest.mark.parametrize(
    ("values", "action", "reason", "restarts"),
    [
        ({"active": "inactive"}, "start", "ceph-mon@a is inactive", False),
        ({"active": "failed"}, "start", "ceph-mon@a is failed", False),
        ({"active": ""}, "start", "ceph-mon@a is not loaded", False),
        (
            {"enabled": False},
            "repair",
            "ceph-mon@a is not enabled, so a reboot would leave it stopped",
            False,
        ),
        ({"keyring": False}, "repair", "its keyring is missing", False),
        ({"drifted": ("/x: missing", "/y: changed")}, "repair", "/x: missing; /y: changed", True),
        ({"record": ""}, "update", "it was not set up by this manifest yet", True),
        ({"record": "old"}, "update", "its description changed", True),
        ({"record": "old", "active": "failed"}, "start", "ceph-mon@a is failed", False),
    ],
)
def test_what_is_wrong_is_named(values, action, reason, restarts):
    found = need(facts.mon("a", **{"record": "r", **values}))

    assert (found.change.action, found.change.subject, found.change.reason) == (
        action,
        "mon.a",
        reason,
    )
    assert found.restarts is restarts
    assert not found.conf_only


@pytest.mark.parametrize(
    ("conf", "reason"),
    [
        (Conf(), "it is missing"),
        (replace(CONF, fsid=""), "it does not name the cluster"),
        (
            replace(CONF, mon_host="192.0.2.1,192.0.2.2"),
            "it lacks the mons 192.0.2.3",
        ),
        (
            replace(CONF, mon_host=""),
            "it lacks the mons 192.0.2.1, 192.0.2.2, 192.0.2.3",
        ),
        (
            replace(CONF, mon_host="192.0.2.1,192.0.2.2,192.0.2.9"),
            "it lacks the mons 192.0.2.3 and lists 192.0.2.9 as mons",
        ),
        (
            replace(CONF, mon_host=f"{facts.MON_HOST},[v2:192.0.2.9:3300]"),
            "it lists 192.0.2.9 as mons",
        ),
    ],
)
def test_a_ceph_conf_that_is_behind_is_named_as_a_file(conf, reason):
    found = need(facts.mon("a", record="r"), conf)

    assert (found.change.subject, found.change.reason) == ("/etc/ceph/ceph.conf", reason)
    assert found.conf_only
    assert not found.restarts


def test_ceph_conf_is_planned_with_the_first_kind_of_daemon_alone():
    old = replace(CONF, mon_host="192.0.2.1")

    assert need(facts.mgr("a", record="r"), old, others=(facts.mon("a", record="r"),)) is None
    assert need(facts.mgr("a", record="r"), old).conf_only


def test_a_leftover_without_data_does_not_hide_an_old_ceph_conf():
    leftover = facts.mon("a", data=False)

    assert need(facts.mgr("a", record="r"), Conf(), others=(leftover,)).conf_only


def test_an_osds_directory_is_in_memory_and_its_host_is_looked_after_all_the_same():
    daemon = facts.daemon(DaemonType.OSD, "0", data=False, record="r")

    assert need(daemon, Conf()).conf_only


LOCATION = "root=default host=store-a zone=z"


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ("", f"its crush_location is missing, and should be {LOCATION}"),
        (
            "root=default host=store-a",
            f"its crush_location is root=default host=store-a, and should be {LOCATION}",
        ),
        (LOCATION, None),
        (None, None),
    ],
    ids=["missing", "other", "same", "not-told"],
)
def test_where_osds_are_is_looked_for_also_where_a_mon_has_repaired_the_conf(found, reason):
    daemon = facts.daemon(DaemonType.OSD, "0", record="r")
    conf = replace(CONF, crush_location=found)
    host = facts.host("store-a", conf=conf, daemons=(facts.mon("a", record="r"), daemon))

    need = upkeep(host, daemon, record="r", fsid=facts.OURS, mons=facts.MONS, location=LOCATION)

    assert (need and need.change.reason) == reason
    assert need is None or (need.conf_only, need.restarts) == (True, False)


BOTH_1 = {("v2", "192.0.2.1", 3300), ("v1", "192.0.2.1", 6789)}
BOTH_6 = {("v2", "2001:db8::1", 3300), ("v1", "2001:db8::1", 6789)}


@pytest.mark.parametrize(
    ("mon_host", "expected"),
    [
        (
            "[v2:192.0.2.1:3300,v1:192.0.2.1:6789],[v2:192.0.2.2:3300]",
            BOTH_1 | {("v2", "192.0.2.2", 3300)},
        ),
        ("[v2:[2001:db8::1]:3300,v1:[2001:db8::1]:6789]", BOTH_6),
        ("v2:192.0.2.1:3300,v1:192.0.2.1:6789", BOTH_1),
        ("192.0.2.1:6789, 192.0.2.2:3300", {("v1", "192.0.2.1", 6789), ("v2", "192.0.2.2", 3300)}),
        ("[2001:db8::1]:6790", {("v1", "2001:db8::1", 6790)}),
        ("192.0.2.1", BOTH_1),
        ("192.0.2.1 2001:db8::1", BOTH_1 | BOTH_6),
        ("192.0.2.1,[2001:db8::1]", BOTH_1 | BOTH_6),
        ("", set()),
    ],
)
def test_c19_the_mons_of_a_ceph_conf_are_read_whatever_their_form(mon_host, expected):
    assert listed_mons(mon_host) == expected


def test_a_conf_with_the_old_messenger_is_behind_when_mons_speak_the_new_one_alone():
    daemon = facts.mon("a", record="r")
    mons = tuple(replace(mon, ports=Ports(v1=0)) for mon in facts.MONS)
    host = facts.host("store-a", conf=CONF, daemons=(daemon,))

    need = upkeep(host, daemon, record="r", fsid=facts.OURS, mons=mons)

    assert need is not None
    assert need.change.reason == ("it has other ports for the mons 192.0.2.1, 192.0.2.2, 192.0.2.3")
