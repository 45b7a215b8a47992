"""Raw answers become facts; what is not understood is unknown and never empty."""

import pytest

from orchestrator.ansible import facts as answers
from orchestrator.ansible.facts import Member
from orchestrator.model.facts import Mgr, Osd
from orchestrator.model.outcome import Failure, Outcome
from tests.fakes import facts

RAW = {
    "hostname": "store-a",
    "addresses": ["192.0.2.1/24"],
    "binaries": ["ceph-mon"],
    "devices": [],
    "a_later_field": {"x": 1},
}
VIEW = {
    "fsid": facts.OURS,
    "quorum_names": ["a"],
    "mons": [{"name": "a", "rank": 0, "addrs": ["v2:192.0.2.1:3300/0"]}],
    "osds": [{"id": 0, "uuid": facts.uuid(0), "up": True, "in": True}],
    "mgr": {"available": True, "active": "a", "standbys": ["b"]},
    "mgr_modules": {"enabled": [], "always_on": [], "available": []},
    "config": [],
    "mutes": [],
}
MEMBERS = (
    Member(name="store-a", groups=("mons",), address="192.0.2.1", allow_loop_devices=True),
    Member(name="store-b"),
)


def outcome(reports=None, *failures):
    return Outcome(
        ok=not failures, run="1", playbook="facts.yml", failures=failures, reports=reports or {}
    )


def report(host=RAW, cluster=None):
    return {"host": host, "cluster": cluster}


def test_an_answer_gets_what_the_inventory_says():
    found = answers.gathered(MEMBERS, outcome({"store-a": report()}))

    host = found.hosts["store-a"]
    assert (host.reachable, host.groups, host.address) == (True, ("mons",), "192.0.2.1")
    assert host.allow_loop_devices
    assert host.addresses == ("192.0.2.1/24",)
    assert host.devices == ()


def test_a_host_without_an_answer_is_there_and_unknown():
    failure = Failure(host="store-b", task="", message="timed out", unreachable=True)

    found = answers.gathered(MEMBERS, outcome({"store-a": report()}, failure))

    assert list(found.hosts) == ["store-a", "store-b"]
    assert not found.hosts["store-b"].reachable
    assert found.hosts["store-b"].error == "timed out"


def test_c53_a_host_that_nobody_spoke_of_is_no_empty_host():
    found = answers.gathered(MEMBERS, outcome())

    assert [(host.reachable, host.error) for host in found.hosts.values()] == [
        (False, "no answer"),
        (False, "no answer"),
    ]


def test_an_odd_answer_is_not_understood_and_says_where():
    raw = {**RAW, "devices": [{"name": "sda", "path": "/dev/sda", "by_id": "", "type": "disk"}]}

    host = answers.parse_host("store-a", raw)

    assert not host.reachable
    assert host.error == "its facts are not understood: devices.0.size: Field required"


@pytest.mark.parametrize(
    ("name", "hostname", "same"),
    [
        ("store-a", "store-a", True),
        ("store-a", "STORE-A", True),
        ("store-a", "store-a.example.net", True),
        ("store-a.example.net", "store-a", True),
        ("store-a", "store-b", False),
        ("192.0.2.1", "store-b", True),
        ("store-a", "", True),
    ],
)
def test_c13_a_machine_with_another_name_is_not_touched(name, hostname, same):
    found = answers.gathered(
        [Member(name=name)], outcome({name: report({**RAW, "hostname": hostname})})
    )

    assert found.hosts[name].reachable is same


def test_c13_the_refusal_names_both_names():
    found = answers.gathered(MEMBERS, outcome({"store-a": report({**RAW, "hostname": "store-z"})}))

    assert found.hosts["store-a"].error == (
        "the machine calls itself store-z and the inventory calls it store-a; "
        "if they are the same, give it one name in both places"
    )
    assert found.hosts["store-a"].groups == ("mons",)
    assert found.hosts["store-a"].refusal == "HostnameMismatch"


def test_c13_the_full_name_proves_a_host_too():
    raw = {**RAW, "hostname": "ip-10-0-0-7", "fqdn": "store-a.example.net"}

    found = answers.gathered(MEMBERS, outcome({"store-a": report(raw)}))

    assert found.hosts["store-a"].reachable


def test_cephs_view_comes_from_the_host_that_has_it():
    reports = {"store-a": report(), "store-b": report({**RAW, "hostname": "store-b"}, VIEW)}

    found = answers.gathered(MEMBERS, outcome(reports))

    assert found.cluster.quorum_names == ("a",)
    assert found.cluster.osds == (Osd(id=0, uuid=facts.uuid(0), up=True, in_=True),)
    assert found.cluster.mgr == Mgr(available=True, active="a", standbys=("b",))
    assert found.cluster.unanswered == ()


@pytest.mark.parametrize(
    ("change", "unanswered", "errors"),
    [
        ({"osds": None}, ("osds",), ()),
        ({"mgr": "odd"}, ("mgr",), ("mgr: not understood",)),
        ({"config": [{"x": 1}], "osds": 5}, ("osds", "config"), None),
        ({"status": "odd"}, (), ("status: not understood",)),
        ({"mutes": None}, ("mutes",), ()),
        ({"later": {"x": 1}}, (), ()),
        ({"errors": ["osd dump: timed out"], "osds": None}, ("osds",), ("osd dump: timed out",)),
    ],
)
def test_c41_an_odd_section_costs_itself_alone(change, unanswered, errors):
    found = answers.parse_cluster({**VIEW, **change})

    assert found.fsid == facts.OURS
    assert found.quorum_names == ("a",)
    assert found.unanswered == unanswered
    if errors is not None:
        assert found.errors == errors


@pytest.mark.parametrize(
    "change",
    [
        {"mons": "odd"},
        {"mons": []},
        {"quorum_names": []},
        {"quorum_names": None},
        {"quorum_names": ["a", "x"]},
        {"fsid": ""},
    ],
)
def test_a_view_without_mons_is_no_view(change):
    assert answers.parse_cluster({**VIEW, **change}) is None


def test_a_run_brings_news_of_its_own_hosts_alone():
    before = answers.gathered(
        MEMBERS,
        outcome({"store-a": report(cluster=VIEW), "store-b": report({**RAW, "hostname": ""})}),
    )
    news = {**RAW, "binaries": ["ceph-osd"]}

    after = answers.refreshed(before, outcome({"store-a": report(news, VIEW)}))

    assert after.hosts["store-a"].binaries == ("ceph-osd",)
    assert after.hosts["store-a"].groups == ("mons",)
    assert after.hosts["store-b"] == before.hosts["store-b"]
    assert after.cluster is not None


def test_a_run_after_which_nobody_leads_leaves_no_view():
    before = answers.gathered(MEMBERS, outcome({"store-a": report(cluster=VIEW)}))

    assert answers.refreshed(before, outcome({"store-a": report()})).cluster is None


def test_c53_a_run_without_any_report_keeps_the_last_good_facts():
    before = answers.gathered(MEMBERS, outcome({"store-a": report(cluster=VIEW)}))

    assert answers.refreshed(before, outcome()) is before


def test_a_host_lost_during_a_run_is_unknown_from_then_on():
    before = answers.gathered(MEMBERS, outcome({"store-a": report(cluster=VIEW)}))
    lost = Failure(host="store-a", task="x", message="gone", unreachable=True)

    after = answers.refreshed(before, outcome({}, lost))

    assert (after.hosts["store-a"].reachable, after.hosts["store-a"].error) == (False, "gone")


def mon_host(state, cluster=None):
    return report({**RAW, "daemons": [{"type": "mon", "id": "a", "mon_state": state}]}, cluster)


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ({"store-a": mon_host("peon"), "store-b": mon_host("peon")}, "store-a"),
        ({"store-a": mon_host("probing"), "store-b": mon_host("peon")}, "store-b"),
        ({"store-a": mon_host("peon"), "store-b": mon_host("leader", VIEW)}, None),
        ({"store-a": mon_host("electing"), "store-b": report()}, None),
        ({"store-a": report({**RAW, "daemons": "odd"})}, None),
        ({}, None),
    ],
)
def test_a_mon_that_follows_speaks_where_the_leaders_host_is_not_there(reports, expected):
    assert answers.speaker(outcome(reports)) == expected
    silent = Failure(host="store-c", task="", message="timed out", unreachable=True)
    assert answers.speaker(outcome(reports, silent)) == expected
