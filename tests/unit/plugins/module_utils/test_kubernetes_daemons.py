"""The daemons of each node, from objects that we, Rook or somebody's hand made."""

from dataclasses import replace

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_daemons,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_mgr,
    kubernetes_mon,
    kubernetes_osd,
)

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
RAW = {
    "metadata": {"name": "my-cluster", "namespace": "rook-ceph", "uid": "u-1"},
    "spec": {"cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"}},
}
CLUSTER = kubernetes_cluster.parse(RAW)
MAP = kubernetes_identity.MonMap(
    mons={
        name: kubernetes_identity.Mon(name=name, address=f"10.96.0.{place}", node=f"node-{place}")
        for place, name in enumerate("abc", start=1)
    },
    highest=3,
)
KEYRINGS = frozenset(
    {kubernetes_mon.KEYRING, kubernetes_identity.ADMIN_KEYRING, kubernetes_mgr.keyring("a")}
)


def mon(name, node):
    daemon = {"type": "mon", "id": name, "record": "r1"}
    built = kubernetes_mon.deployment(CLUSTER, daemon, FSID, "10.96.0.1", node)
    return kubernetes_drift.marked(built)


def service(name):
    return kubernetes_drift.marked(kubernetes_mon.service(CLUSTER, name, "10.96.0.1"))


def known(**given):
    return kubernetes_daemons.Known(
        **{
            "cluster": CLUSTER,
            "identity": kubernetes_identity.Identity(fsid=FSID),
            "mons": MAP,
            "deployments": [mon("a", "node-1")],
            "services": {f"rook-ceph-mon-{name}": service(name) for name in "abc"},
            "keyrings": KEYRINGS,
            **given,
        }
    )


def only(found):
    (one,) = found
    return one


def test_a_mon_as_we_made_it_needs_nothing():
    one = only(kubernetes_daemons.of_node(known(), "node-1", first=False))
    assert (one["type"], one["id"], one["active"], one["enabled"]) == ("mon", "a", "active", True)
    assert (one["record"], one["drifted"], one["keyring"]) == ("r1", [], True)
    assert (one["fsid"], one["monmap_epoch"]) == (FSID, 1)
    assert [member["name"] for member in one["monmap"]] == ["a", "b", "c"]


def test_a_mon_whose_deployment_is_gone_still_lives_on_its_node():
    one = only(kubernetes_daemons.of_node(known(), "node-2", first=False))
    assert (one["id"], one["data"], one["active"], one["record"]) == ("b", True, "inactive", "")


def test_mons_that_were_only_planned_are_none():
    fresh = kubernetes_identity.MonMap(mons=MAP.mons)
    found = known(mons=fresh, deployments=[])
    assert kubernetes_daemons.of_node(found, "node-2", first=False) == []


def test_a_mon_that_was_made_and_never_joined_says_so():
    seen = known(
        deployments=[mon("a", "node-1"), mon("b", "node-2")],
        mons=replace(MAP, highest=0),
        members=(member("a"),),
    )
    one = only(kubernetes_daemons.of_node(seen, "node-2", first=False))
    assert (one["id"], one["monmap_epoch"]) == ("b", 0)


def member(name):
    return {"name": name, "addrs": ["v2:10.96.0.1:3300/0"]}


@pytest.mark.parametrize(
    ("highest", "members", "found"),
    [
        (1, "ab", []),  # it has a place and was not made yet: its name is still to be given
        (-1, "ab", []),
        (1, "abc", ["c"]),
        (2, "ab", ["c"]),
        (1, "", []),
        (-1, "", ["c"]),  # nobody can tell
    ],
)
def test_a_mon_that_was_never_in_quorum_is_none_yet(highest, members, found):
    mgr = kubernetes_mgr.deployment(CLUSTER, {"type": "mgr", "id": "a"}, FSID, "node-1")
    seen = known(
        deployments=[mon("a", "node-1"), mon("b", "node-2"), mgr],
        mons=replace(MAP, highest=highest),
        members=tuple(map(member, members)),
    )
    assert [one["id"] for one in kubernetes_daemons.of_node(seen, "node-3", first=False)] == found


@pytest.mark.parametrize(
    ("highest", "members", "told"),
    [
        (-1, "a", ["ConfigMap rook-ceph-mon-endpoints: mon.a is above maxMonId"]),
        (0, "a", []),
        (-1, "", []),
    ],
)
def test_a_quorum_that_was_not_noted_is_told_of(highest, members, told):
    seen = known(mons=replace(MAP, highest=highest), members=tuple(map(member, members)))
    assert only(kubernetes_daemons.of_node(seen, "node-1", first=False))["drifted"] == told


def test_mons_that_were_only_planned_may_have_left_stores_when_their_cluster_goes():
    fresh = kubernetes_identity.MonMap(mons=MAP.mons)
    going = {**RAW, "metadata": {**RAW["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    found = known(mons=fresh, deployments=[], cluster=kubernetes_cluster.parse(going))
    one = only(kubernetes_daemons.of_node(found, "node-2", first=False))
    assert (one["id"], one["data"], one["active"]) == ("b", True, "inactive")
    assert (one["fsid"], one["monmap_epoch"]) == (FSID, 0)


def test_an_edit_by_hand_and_a_missing_service_are_told():
    edited = mon("a", "node-1")
    edited["spec"]["replicas"] = 0
    one = only(
        kubernetes_daemons.of_node(known(deployments=[edited], services={}), "node-1", first=False)
    )
    assert one["drifted"] == [
        "Deployment rook-ceph-mon-a was edited: spec.replicas",
        "Service rook-ceph-mon-a: missing",
    ]


def test_another_image_in_the_manifest_is_a_change_of_the_description():
    newer = {**RAW, "spec": {"cephVersion": {"image": "quay.io/ceph/ceph:v21"}}}
    one = only(
        kubernetes_daemons.of_node(
            known(cluster=kubernetes_cluster.parse(newer)), "node-1", first=False
        )
    )
    assert one["record"] == "r1.stale"


def test_rooks_own_deployments_are_recognised():
    labels = {"app": "rook-ceph-osd", "ceph-osd-id": "7", "rook_cluster": "rook-ceph"}
    rooks = {
        "metadata": {"name": "rook-ceph-osd-7", "labels": labels, "annotations": {}},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "spec": {
                    "nodeSelector": {"kubernetes.io/hostname": "node-3"},
                    "containers": [
                        {"name": "osd", "env": [{"name": "ROOK_OSD_UUID", "value": "u-7"}]}
                    ],
                }
            },
        },
    }
    found = known(deployments=[rooks])
    one = next(
        one
        for one in kubernetes_daemons.of_node(found, "node-3", first=False)
        if one["type"] == "osd"
    )
    assert (one["id"], one["osd_uuid"], one["fsid"]) == ("7", "u-7", FSID)
    assert (one["active"], one["record"], one["drifted"]) == ("active", "", [])


def test_a_mgr_is_where_its_pod_is_and_else_where_it_was_planned():
    daemon = {"type": "mgr", "id": "a", "record": "r2"}
    built = kubernetes_drift.marked(kubernetes_mgr.deployment(CLUSTER, daemon, FSID, "node-1"))
    services = {
        one["metadata"]["name"]: kubernetes_drift.marked(one)
        for one in kubernetes_mgr.services(CLUSTER)
    }
    pod = {
        "metadata": {"labels": built["spec"]["template"]["metadata"]["labels"]},
        "spec": {"nodeName": "node-2"},
    }
    moved = known(deployments=[built], pods=[pod], services=services)
    kinds = [one["type"] for one in kubernetes_daemons.of_node(moved, "node-2", first=False)]
    assert kinds == ["mgr", "mon"]
    left = {
        "metadata": {**pod["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"nodeName": "node-3"},
    }
    stuck = known(deployments=[built], pods=[left, pod], services=services)
    assert [one["type"] for one in kubernetes_daemons.of_node(stuck, "node-3", first=False)] == [
        "mon"
    ]
    waiting = known(deployments=[built], services=services)
    kinds = [one["type"] for one in kubernetes_daemons.of_node(waiting, "node-1", first=False)]
    assert kinds == ["mgr", "mon"]


def test_an_osd_that_needs_new_pods_waits_for_cephs_consent():
    """Only what stands behind the dot of its record makes it ask; the drift itself would not."""
    labels = {"app": "rook-ceph-osd", "ceph-osd-id": "0", "rook_cluster": "rook-ceph"}
    wanted = {
        "kind": "Deployment",
        "metadata": {
            "name": "rook-ceph-osd-0",
            "labels": labels,
            "annotations": {"orchestrator.ceph.io/record": "abc.def"},
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"spec": {"containers": [{"name": "osd", "image": "ceph:20"}]}},
        },
    }
    live = kubernetes_drift.marked(wanted)
    live["spec"] = {
        **live["spec"],
        "template": {"spec": {"containers": [{"name": "osd", "image": "mine"}]}},
    }
    found = known(deployments=[live])
    one = next(
        one for one in kubernetes_daemons.of_node(found, "", first=False) if one["type"] == "osd"
    )
    assert (one["record"], one["drifted"]) == ("abc.stale", [])


def test_no_id_of_a_mon_that_was_is_used_again():
    assert kubernetes_daemons.put_aside(known()) == [{"type": "mon", "id": "d"}]


MANAGED = kubernetes_cluster.parse(
    {**RAW, "spec": {**RAW["spec"], "disruptionManagement": {"managePodBudgets": True}}}
)


def budget(kind):
    return kubernetes_drift.marked(kubernetes_mon.disruption_budget(MANAGED, "policy/v1", kind, 1))


def drifts(**given):
    deployments = [mon("a", "node-1"), mon("b", "node-2")]
    found = known(deployments=deployments, **given)
    return [
        text
        for node in ("node-1", "node-2")
        for one in kubernetes_daemons.of_node(found, node, first=False)
        for text in one["drifted"]
    ]


def test_a_budget_that_is_gone_or_edited_is_told_once():
    there = {"rook-ceph-mon-pdb": budget("mon")}
    assert drifts(cluster=MANAGED, budgets=there) == []
    assert drifts(cluster=MANAGED) == ["PodDisruptionBudget rook-ceph-mon-pdb: missing"]
    there["rook-ceph-mon-pdb"]["spec"]["maxUnavailable"] = 3
    assert drifts(cluster=MANAGED, budgets=there) == [
        "PodDisruptionBudget rook-ceph-mon-pdb was edited: spec.maxUnavailable"
    ]
    assert drifts() == []


def test_a_configmap_without_which_no_daemon_starts_is_told_once():
    assert drifts(maps=frozenset({"rook-ceph-mon-endpoints"})) == [
        "ConfigMap rook-config-override: missing"
    ]


def test_one_that_is_left_alone_says_so_and_others_tell_what_is_shared():
    alone = mon("a", "node-1")
    alone["metadata"]["labels"][kubernetes_cluster.LEFT_ALONE] = ""
    found = known(deployments=[alone, mon("b", "node-2")], maps=frozenset())
    first, second = (
        only(kubernetes_daemons.of_node(found, node, first=False)) for node in ("node-1", "node-2")
    )
    assert (first["left_alone"], first["drifted"]) == (True, [])
    assert second["left_alone"] is False
    assert len(second["drifted"]) == 2


def running(began, container="mon", **metadata):
    labels = mon("a", "node-1")["spec"]["template"]["metadata"]["labels"]
    state = {"running": {"startedAt": began}} if began else {"waiting": {}}
    return {
        "metadata": {"labels": labels, **metadata},
        "spec": {"nodeName": "node-1"},
        "status": {"containerStatuses": [{"name": container, "state": state}]},
    }


LATER = 1893553450.0  # 2030-01-02T03:04:10Z


@pytest.mark.parametrize(
    ("pods", "seconds"),
    [
        ([running("2030-01-02T03:04:05Z")], 5.0),
        ([running("2030-01-02T03:05:05Z")], 0.0),
        ([running("")], -1.0),
        ([running("2030-01-02T03:04:05Z", container="log-collector")], -1.0),
        ([running("2030-01-02T03:04:05Z", deletionTimestamp="2030-01-02T03:04:06Z")], -1.0),
        ([], -1.0),
    ],
)
def test_how_long_a_process_has_run_is_told_by_its_container(pods, seconds):
    found = known(pods=pods, now=LATER, monmap_age=7.0)
    one = only(kubernetes_daemons.of_node(found, "node-1", first=False))
    assert (one["running_seconds"], one["monmap_age"]) == (seconds, 7.0)


@pytest.mark.parametrize(
    ("quorum", "began", "state"),
    [
        (("a", "b"), "2030-01-02T03:04:05Z", "leader"),
        (("b", "a"), "2030-01-02T03:04:05Z", "peon"),
        (("b", "c"), "2030-01-02T03:04:05Z", "probing"),
        (("b", "c"), "", ""),
        ((), "2030-01-02T03:04:05Z", ""),
    ],
)
def test_a_mon_that_runs_outside_of_the_quorum_probes(quorum, began, state):
    found = known(pods=[running(began)], now=LATER, quorum=quorum)
    one = only(kubernetes_daemons.of_node(found, "node-1", first=False))
    assert one["mon_state"] == state


def osd(number, node, made=""):
    told = {"type": "osd", "id": str(number), "record": "r1", "path": "/dev/sdb", "osd_uuid": "u-1"}
    told["before_start"] = []
    built = kubernetes_osd.deployment(CLUSTER, told, FSID, node, {})
    return {**built, "metadata": {**built["metadata"], "creationTimestamp": made}}


def test_how_long_ago_a_deployment_was_made_is_told():
    when = kubernetes_cluster.moment("2030-01-02T03:04:05Z")
    seen = known(deployments=[osd(7, "node-4", "2030-01-02T03:04:05Z")], now=when + 90)
    one = only(kubernetes_daemons.of_node(seen, "node-4", first=False))
    assert (one["id"], one["osd_uuid"], one["made_seconds"]) == ("7", "u-1", 90)
    untold = known(deployments=[osd(7, "node-4")], now=when)
    assert only(kubernetes_daemons.of_node(untold, "node-4", first=False))["made_seconds"] == -1


def test_osds_of_nodes_that_tell_nothing_are_told_by_another():
    seen = known(deployments=[mon("a", "node-9"), osd(7, "node-1"), osd(8, "node-9")])
    assert [one["id"] for one in kubernetes_daemons.stranded(seen, {"node-1"})] == ["8"]
    assert kubernetes_daemons.stranded(seen, {"node-1", "node-9"}) == []


def test_the_folders_of_mons_are_told_whoever_made_them():
    rooks = mon("b", "node-2")
    volumes = rooks["spec"]["template"]["spec"]["volumes"]
    for one in volumes:
        path = (one.get("hostPath") or {}).get("path", "")
        if path.endswith("/mon-b/data"):
            one["hostPath"]["path"] = "/data/rook/mon-b/data"
    seen = known(deployments=[mon("a", "node-1"), rooks, osd(7, "node-1")])
    assert kubernetes_daemons.data_dirs(seen) == ["/data/rook", "/var/lib/rook"]
    assert kubernetes_daemons.data_dirs(known(deployments=[osd(7, "node-1")])) == []


@pytest.mark.parametrize(
    ("override", "record"),
    [
        ("", "r1"),
        ("rook-config-override-node-2", "r1"),
        ("rook-config-override-node-4", "r1.stale"),
    ],
)
def test_an_osd_starts_again_when_its_node_is_given_a_configuration_of_its_own(override, record):
    seen = known(deployments=[osd(7, "node-4")], overrides=frozenset({override}))
    assert only(kubernetes_daemons.of_node(seen, "node-4", first=False))["record"] == record
