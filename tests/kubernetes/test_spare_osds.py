"""An OSD that Ceph does without, on a real API server: what is told of it, and what goes."""

import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_daemons,
    kubernetes_identity,
    kubernetes_view,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_kubernetes_daemon

from lab.kubernetes.plane import ControlPlane
from orchestrator.ansible.facts import Member, gathered
from orchestrator.model.facts import Facts, Osd
from orchestrator.model.names import HostName, OsdId
from orchestrator.model.outcome import Outcome
from orchestrator.planning import osd_removal
from tests.fakes import facts

pytestmark = pytest.mark.kubernetes

HOUR = 3600.0


@pytest.fixture
def raw(control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    monkeypatch.setenv("K8S_AUTH_KUBECONFIG", str(control_plane.kubeconfig))
    namespace = f"spare-{uuid.uuid4().hex[:8]}"
    client = kubernetes_api.Api(namespace)
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    spec = {"cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"}}
    yield {"metadata": {"name": "demo", "namespace": namespace}, "spec": spec}
    client.delete("Namespace", namespace)


def daemon(raw: dict[str, Any], node: str, **more: Any) -> dict[str, Any]:
    told = {"type": "osd", "id": 0, "before_start": [], "about": {"uuid": facts.uuid(0)}, **more}
    parameters = {
        "cluster": raw,
        "node": node,
        "fsid": str(facts.OURS),
        "conf": {},
        "daemons": [told],
        "files": [],
        "wait": 0.0,
    }
    return ceph_kubernetes_daemon._kept(parameters, check=False)


def reports(raw: dict[str, Any], *nodes: str, later: float = 0.0) -> dict[str, Any]:
    """What a look tells of the nodes that are ready, so many seconds from now."""
    cluster = kubernetes_cluster.parse(raw)
    objects = kubernetes_view.Objects(cluster, kubernetes_api.Api(cluster.namespace))
    known = kubernetes_daemons.Known(
        cluster=cluster,
        identity=kubernetes_identity.Identity(fsid=str(facts.OURS)),
        mons=kubernetes_identity.MonMap(),
        deployments=objects.deployments,
        now=time.time() + later,
    )
    return {
        name: {
            "host": {
                **kubernetes_view.report(known, name, {"first": not place}, {}),
                **kubernetes_view.stranded(known, nodes, first=not place),
            },
            "cluster": None,
        }
        for place, name in enumerate(nodes)
    }


def removed(raw: dict[str, Any], *nodes: str, later: float = 0.0) -> list[tuple[str, str]]:
    """The OSDs that the plan takes away when Ceph has osd.0 down, out and safe to destroy."""
    told = Outcome(ok=True, run="", playbook="", reports=reports(raw, *nodes, later=later))
    hosts = gathered([Member(name=HostName(name), pods=True) for name in nodes], told).hosts
    osd = Osd(id=OsdId(0), uuid=facts.uuid(0), up=False)
    found = Facts(hosts=hosts, cluster=facts.view(osds=(osd,), safe_to_destroy=(osd.id,)))
    context = facts.context(found, removeOSDsIfOutAndSafeToRemove=True)
    steps = osd_removal.steps(context)
    return [(one.id, str(one.host)) for step in steps for one in step.daemons]


@pytest.mark.parametrize("node", ["node-a", "node-gone"])
def test_its_deployment_alone_goes_and_only_after_an_hour(raw: dict[str, Any], node: str) -> None:
    api = kubernetes_api.Api(raw["metadata"]["namespace"])
    daemon(raw, node)
    assert [one["metadata"]["name"] for one in api.list("Deployment")] == ["rook-ceph-osd-0"]
    before = {one["metadata"]["name"] for one in (*api.list("Secret"), *api.list("ConfigMap"))}

    assert removed(raw, "node-a", "node-b") == []
    assert removed(raw, "node-a", "node-b", later=HOUR) == [("0", "node-a")]

    assert daemon(raw, "node-a", state="absent", data="keep")["changed"]
    assert api.list("Deployment") == []
    left = {one["metadata"]["name"] for one in (*api.list("Secret"), *api.list("ConfigMap"))}
    assert left == before
