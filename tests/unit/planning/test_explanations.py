"""Why each host was chosen or not, for all three kinds of daemons."""

from dataclasses import replace

from orchestrator import planning
from orchestrator.console.placements import placements_document, placements_text
from orchestrator.model.facts import Taint
from orchestrator.planning import explain
from tests.fakes import facts

ALL = {"useAllNodes": True, "useAllDevices": True}


def verdicts(found, **spec):
    wanted = facts.spec(**{"mgr": {"count": 2}, "storage": ALL, **spec})
    plan = planning.plan(wanted, found)
    return {(str(one.daemon), str(one.host)): one for one in explain(wanted, found, plan)}


def test_every_host_has_its_standing_and_its_reason():
    found = facts.healthy()
    away = replace(found.hosts["store-b"], taints=(Taint(key="db", effect="NoExecute"),))
    silent = facts.silent("store-d")
    poor = facts.host("store-e", binaries=("ceph-mon",))
    found = facts.changed(found, away, silent, poor)

    said = {key: (str(one.standing), one.reason) for key, one in verdicts(found).items()}

    assert said["mon", "store-a"] == ("holds", "mon.a")
    assert said["mon", "store-d"] == ("unknown", "connection timed out")
    assert said["mon", "store-e"] == ("chosen", "mon.d")
    why = "nothing tolerates its taint db:NoExecute"
    assert said["mgr", "store-b"] == ("leaves", f"mgr.b: {why}")
    assert said["mgr", "store-e"] == ("excluded", "ceph-mgr is not installed")
    assert said["osd", "store-b"] == ("holds", f"osd.1; no new ones: placement of osd: {why}")
    assert said["osd", "store-e"] == ("fits", "no device is selected")


def test_a_host_that_is_not_named_is_excluded_from_storage():
    named = {"nodes": ({"name": "store-a", "useAllDevices": True},)}
    found = facts.changed(facts.healthy(), facts.host("store-e"))

    said = verdicts(found, storage=named, dataDirHostPath="/a")

    assert said["osd", "store-e"].reason == "this host is not in storage.nodes"
    assert str(said["osd", "store-e"].standing) == "excluded"


def test_it_is_shown_as_a_table_and_as_a_document():
    found = [one for key, one in verdicts(facts.healthy()).items() if key[1] == "store-a"]

    assert placements_text(found) == (
        "\nplacement:\n"
        "  mon  store-a  holds     mon.a\n"
        "  mgr  store-a  holds     mgr.a\n"
        "  osd  store-a  holds     osd.0"
    )
    assert placements_document(found)["placement"][0] == {
        "daemon": "mon",
        "host": "store-a",
        "standing": "holds",
        "reason": "mon.a",
    }
