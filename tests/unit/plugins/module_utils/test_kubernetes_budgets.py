"""The disruption budgets of OSDs, and the note of what is drained (ROOK-COMPAT 2 and 3)."""

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_budgets,
    kubernetes_cluster,
    kubernetes_drift,
)

RAW = {"metadata": {"name": "c", "namespace": "rook-ceph", "uid": "u-1"}, "spec": {}}
CLUSTER = kubernetes_cluster.parse(RAW)
USUAL = {"level": "host", "draining": "", "most": 1, "domains": [], "noout": False}
DRAINED = {
    "level": "host",
    "draining": "node-1",
    "most": 0,
    "domains": ["node-2", "node-3"],
    "noout": True,
}
NOON, LATER = "2030-01-02T12:00:00Z", "2030-01-02T12:01:00Z"
NOON_SECONDS = 1893585600.0


def test_one_budget_is_for_all_osds():
    (found,) = kubernetes_budgets.budgets(CLUSTER, "policy/v1", USUAL)
    assert found["metadata"]["name"] == "rook-ceph-osd"
    assert found["spec"] == {
        "maxUnavailable": 1,
        "selector": {"matchLabels": {"app": "rook-ceph-osd"}},
    }


def test_while_a_domain_is_drained_the_others_lose_nothing():
    found = kubernetes_budgets.budgets(CLUSTER, "policy/v1", DRAINED)
    assert {one["metadata"]["name"]: one["spec"] for one in found} == {
        f"rook-ceph-osd-host-{name}": {
            "maxUnavailable": 0,
            "selector": {"matchLabels": {"app": "rook-ceph-osd", "topology-location-host": name}},
        }
        for name in ("node-2", "node-3")
    }
    names = [one["metadata"]["name"] for one in found]
    assert all(map(kubernetes_budgets.is_of_osds, [*names, "rook-ceph-osd"]))
    assert not kubernetes_budgets.is_of_osds("rook-ceph-mon-pdb")


def test_a_domain_whose_name_no_object_can_have_has_a_budget_all_the_same():
    asked = {**DRAINED, "level": "rack", "domains": ["Rack-2", "rack_3", "rack-3", "r" * 200]}
    found = kubernetes_budgets.budgets(CLUSTER, "policy/v1", asked)
    assert [one["metadata"]["name"] for one in found] == [
        "rook-ceph-osd-rack-rack-2",
        "rook-ceph-osd-rack-cb46bb05b0cff8675cdc702ae6915ca1",
        "rook-ceph-osd-rack-rack-3",
        f"rook-ceph-osd-rack-{'r' * 200}",
    ]
    selectors = [one["spec"]["selector"]["matchLabels"] for one in found]
    assert [one["topology-location-rack"] for one in selectors] == asked["domains"]


def state(asked, live=None, now=NOON):
    return kubernetes_budgets.state(CLUSTER, asked, "r1", live, now)


def test_since_when_a_domain_is_drained_stays():
    first = state(DRAINED)
    assert first["metadata"]["name"] == "rook-ceph-pdbstatemap"
    assert first["data"] == {
        "draining-failure-domain": "node-1",
        "draining-failure-domain-duration": NOON,
        "set-no-out": "true",
        "budgets": "rook-ceph-osd-host-node-2,rook-ceph-osd-host-node-3",
    }
    since = "draining-failure-domain-duration"
    assert state({**DRAINED, "noout": False}, first, LATER)["data"][since] == NOON
    assert state({**DRAINED, "draining": "node-2"}, first, LATER)["data"][since] == LATER
    assert state(USUAL, first, LATER)["data"][since] == ""


def live(asked):
    made = kubernetes_budgets.budgets(CLUSTER, "policy/v1", asked)
    return {one["metadata"]["name"]: kubernetes_drift.marked(one) for one in made}


def test_what_there_is_is_told():
    found = kubernetes_budgets.told(state(DRAINED), live(DRAINED), NOON_SECONDS + 90)
    assert (found["name"], found["record"], found["drifted"]) == ("budgets", "r1", [])
    assert found["notes"] == {"draining": "node-1", "seconds": "90", "noout": "true"}
    usual = kubernetes_budgets.told(state(USUAL), live(USUAL), NOON_SECONDS)
    assert usual["notes"] == {"draining": "", "seconds": "0", "noout": ""}
    none = kubernetes_budgets.told(None, {}, NOON_SECONDS)
    assert (none["record"], none["active"], none["drifted"]) == ("", "", [])


def test_budgets_that_are_gone_or_edited_are_told():
    held = live(DRAINED)
    held["rook-ceph-osd-host-node-2"]["spec"]["maxUnavailable"] = 5
    del held["rook-ceph-osd-host-node-3"]
    assert kubernetes_budgets.told(state(DRAINED), held, NOON_SECONDS)["drifted"] == [
        "PodDisruptionBudget rook-ceph-osd-host-node-2 was edited: spec.maxUnavailable",
        "PodDisruptionBudget rook-ceph-osd-host-node-3: missing",
    ]
