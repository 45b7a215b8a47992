"""deploy/ and the manifests that people have, against a real API server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.kubernetes import kubectl
from lab.kubernetes.plane import ControlPlane
from lab.kubernetes.where import Where
from lab.proc import LabError
from tests.contract.paths import ROOKS, ROOKS_CRD, ROOT

pytestmark = pytest.mark.kubernetes

DEPLOY = ROOT / "deploy"
OURS = DEPLOY / "crds" / "cephclusters.ceph.rook.io.yaml"
CRDS = {"ours": OURS, "rooks": ROOKS_CRD}
EXAMPLES = sorted((*(ROOT / "examples").glob("*.yaml"), *ROOKS.glob("*.yaml")))
COLUMNS = "NAME DATADIRHOSTPATH MONCOUNT AGE PHASE MESSAGE HEALTH EXTERNAL FSID"


def cephclusters(path: Path) -> list[dict[str, Any]]:
    found = yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader)
    return [one for one in found if one and one["kind"] == "CephCluster"]


MANIFESTS = [
    pytest.param(one, id=f"{path.parent.name}-{path.stem}")
    for path in EXAMPLES
    for one in cephclusters(path)
]


@pytest.fixture(scope="module", params=CRDS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A kubeconfig of a server that knows CephClusters by our definition, or by Rook's."""
    if not CRDS[request.param].exists():
        pytest.skip(f"{CRDS[request.param]} is not here")
    where = Where(folder=tmp_path_factory.mktemp("deploy"))
    plane = ControlPlane(where=where, bound=True)
    try:
        plane.up()
        kubectl.run(plane.kubeconfig, "apply", "--filename", str(DEPLOY / "namespace.yaml"))
        kubectl.run(plane.kubeconfig, "create", "namespace", "rook-ceph-external")
        # Rook's has CEL rules, which a client of 1.20 takes for mistakes.
        create = ("create", "--validate=false", "--filename", str(CRDS[request.param]))
        kubectl.run(plane.kubeconfig, *create)
        kubectl.wait_for(plane.kubeconfig, "cephclusters", seconds=30)
        yield plane.kubeconfig
    finally:
        plane.down()


def lacking(given: Any, kept: Any, path: str = "") -> Iterator[str]:
    """Yield what the server dropped of what it was given."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            if name not in kept:
                yield f"{path}.{name}"
            else:
                yield from lacking(value, kept[name], f"{path}.{name}")
    elif isinstance(given, list) and isinstance(kept, list):
        for index, value in enumerate(given):
            yield from lacking(value, kept[index], f"{path}[{index}]")


def without_empty(value: Any) -> Any:
    """Leave out the keys that have no value: they say nothing."""
    if isinstance(value, dict):
        return {k: without_empty(one) for k, one in value.items() if one is not None and one != ""}
    return [without_empty(one) for one in value] if isinstance(value, list) else value


def applied(server: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """What the server would keep of a manifest."""
    words = ("apply", "--dry-run=server", "--output", "json", "--filename", "-")
    kept: dict[str, Any] = json.loads(kubectl.run(server, *words, stdin=json.dumps(manifest)))
    return kept


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_nothing_of_a_manifest_is_refused_or_dropped(
    server: Path, manifest: dict[str, Any], request: pytest.FixtureRequest
):
    wanted = without_empty(manifest)
    # Rook's definition refuses null, which Rook's own examples have, and which an API server that
    # Go 1.19 compiled takes an empty string for. Ours takes both.
    theirs = request.node.callspec.params["server"] == "rooks"
    kept = applied(server, wanted if theirs else manifest)
    assert list(lacking(wanted["spec"], kept["spec"])) == []


def test_deploy_is_accepted_whole(server: Path):
    listed = yaml.safe_load((DEPLOY / "kustomization.yaml").read_text())["resources"]
    said = kubectl.run(server, "apply", "--dry-run=server", "--kustomize", str(DEPLOY))
    expected = sum(
        1 for name in listed for one in yaml.safe_load_all((DEPLOY / name).read_text()) if one
    )
    assert said.count("(server dry run)") == expected == len(said.splitlines())


def test_the_short_name_and_the_columns_are_rooks(server: Path):
    manifest = {**cephclusters(ROOT / "examples" / "cluster-kubernetes.yaml")[0]}
    manifest["metadata"] = {"name": "columns", "namespace": "default"}
    kubectl.run(server, "apply", "--filename", "-", stdin=json.dumps(manifest))
    head, row = kubectl.run(server, "get", "ceph").splitlines()
    assert head.split() == COLUMNS.split()
    assert row.split()[:3] == ["columns", "/var/lib/rook", "3"]


def test_status_is_a_subresource(server: Path):
    manifest = {**cephclusters(ROOT / "examples" / "cluster-kubernetes.yaml")[0]}
    manifest["metadata"] = {"name": "status", "namespace": "default"}
    manifest["status"] = {"phase": "Ready"}
    kubectl.run(server, "create", "--filename", "-", stdin=json.dumps(manifest))
    assert "phase" not in kubectl.get(server, "ceph/status").get("status", {})
    put = ("replace", "--raw", PATH_OF_STATUS, "--filename", "-")
    live = kubectl.get(server, "ceph/status")
    written = {**live, "spec": {}, "status": {"phase": "Ready"}}
    kubectl.run(server, *put, stdin=json.dumps(written))
    found = kubectl.get(server, "ceph/status")
    assert found["status"]["phase"] == "Ready"
    assert found["spec"] == live["spec"]
    assert found["metadata"]["generation"] == live["metadata"]["generation"]


PATH_OF_STATUS = "/apis/ceph.rook.io/v1/namespaces/default/cephclusters/status/status"


def test_a_wrong_type_is_refused_by_the_server(server: Path):
    manifest = {**cephclusters(ROOT / "examples" / "cluster-kubernetes.yaml")[0]}
    manifest["spec"] = {**manifest["spec"], "mon": {"count": "three"}}
    with pytest.raises(LabError, match=r"spec\.mon\.count"):
        applied(server, manifest)
