"""What a module asks the API server beside what it wants to know: on a far server each counts."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
)

from lab.kubernetes.plane import ControlPlane
from tests.integration.apiserver.site import Site


@pytest.mark.parametrize(
    ("kind", "groups"),
    [
        ("Secret", {"/api/v1"}),
        ("Deployment", {"/apis/apps/v1"}),
        (kubernetes_cluster.BUDGET, {"/apis/policy/v1", "/apis/policy/v1beta1"}),
        (kubernetes_cluster.CRON_JOB, {"/apis/batch/v1", "/apis/batch/v1beta1"}),
        ("EndpointSlice", {"/apis/discovery.k8s.io/v1", "/apis/discovery.k8s.io/v1beta1"}),
    ],
)
def test_a_kind_is_looked_for_in_its_own_group_alone(
    site: Site,
    control_plane: ControlPlane,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    groups: set[str],
) -> None:
    monkeypatch.setenv(kubernetes_api.KUBECONFIG, str(control_plane.kubeconfig))
    api = kubernetes_api.Api(site.namespace)
    asked: list[str] = []
    rest = api._client.client.rest_client
    request = rest.request

    def noted(method: str, url: str, **named: object) -> object:
        asked.append("/api" + url.partition("/api")[2].partition("?")[0])
        return request(method, url, **named)

    monkeypatch.setattr(rest, "request", noted)
    api.list(kind)
    home = f"/namespaces/{site.namespace}/"
    *before, last = asked
    assert home in last
    assert before
    assert set(before) <= groups
