"""CASES C35: what looks at the cluster follows the one active mgr."""

import pytest

from orchestrator.model import mgr_report
from orchestrator.model.facts import DaemonType, Mgr
from tests.fakes import facts

URLS = {"a": "http://192.0.2.1:9283/", "b": "http://192.0.2.2:9283/"}


def mgr(active, *standbys):
    services = {"prometheus": URLS[active]} if active else {}
    return Mgr(available=bool(active), active=active, standbys=standbys, services=services)


def reported(found, previous, **view):
    seen = facts.changed(facts.healthy(), cluster=facts.view(mgr=found, **view))
    return mgr_report.report(seen, previous)


def test_c35_the_target_moves_with_the_active_mgr_and_stays_while_there_is_none():
    first = reported(mgr("a", "b"), {})
    assert first == {
        "active": "a",
        "available": True,
        "host": "store-a",
        "services": {"prometheus": URLS["a"]},
        "standbys": ["b"],
    }

    second = reported(mgr("b", "a"), first)
    assert (second["active"], second["host"]) == ("b", "store-b")
    assert second["services"] == {"prometheus": URLS["b"]}
    assert second["standbys"] == ["a"]

    third = reported(mgr(""), second)
    assert third == {**second, "available": False}

    fourth = reported(mgr("a"), third)
    assert (fourth["active"], fourth["available"]) == ("a", True)
    assert "standbys" not in fourth


def test_c35_a_single_mgr_is_active_from_the_start():
    assert reported(mgr("a"), {})["active"] == "a"


def test_before_the_first_mgr_there_is_no_target():
    assert reported(mgr(""), {}) == {}


@pytest.mark.parametrize("view", [{"unanswered": ("mgr",)}])
def test_what_ceph_did_not_tell_changes_nothing(view):
    before = reported(mgr("a", "b"), {})
    assert reported(mgr(""), before, **view) == before
    assert mgr_report.report(facts.changed(facts.healthy(), cluster=None), before) == before


def test_the_host_is_where_that_mgr_runs():
    seen = facts.with_daemon(facts.healthy(), "store-a", DaemonType.MGR, active="inactive")
    assert "host" not in mgr_report.report(seen, {})
