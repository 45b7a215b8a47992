"""The chart, rendered by Helm's own engine, is what `kubectl apply --kustomize deploy` applies."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import helm_python as helm
import pytest
import yaml

from orchestrator import __version__
from tests.contract.paths import ROOT

CHART = ROOT / "deploy" / "helm" / "ceph-orchestrator"
OPERATOR = ("Deployment", "rook-ceph-operator")
Objects = dict[tuple[str, str], dict[str, Any]]


def objects(texts: Iterable[str]) -> Objects:
    found = (one for text in texts for one in yaml.load_all(text, Loader=yaml.CSafeLoader) if one)
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def plain() -> Objects:
    """The objects of deploy/, without the namespace, which Helm makes by an option."""
    listed = yaml.safe_load((ROOT / "deploy" / "kustomization.yaml").read_text())["resources"]
    found = objects((ROOT / "deploy" / name).read_text() for name in listed)
    del found["Namespace", "rook-ceph"]
    return found


def rendered(values: Mapping[str, Any] | None = None, namespace: str = "rook-ceph") -> Objects:
    chart = helm.Chart.load(str(CHART))
    return objects(chart.render(dict(values or {}), name="any", namespace=namespace).values())


def operator(values: Mapping[str, Any]) -> dict[str, Any]:
    return rendered(values)[OPERATOR]["spec"]["template"]["spec"]


def test_it_renders_the_same_objects():
    wanted = plain()
    crd = wanted.pop(("CustomResourceDefinition", "cephclusters.ceph.rook.io"))
    assert rendered() == wanted
    (given,) = helm.Chart.load(str(CHART)).crds
    assert yaml.load(given["data"], Loader=yaml.CSafeLoader) == crd


def test_helm_finds_nothing_wrong_with_it():
    said = helm.lint(str(CHART), strict=True)
    assert said["errors"] == []
    assert [one["error"] for one in said["messages"]] == ["icon is recommended"]


def test_its_version_is_the_packages():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)
    image = plain()[OPERATOR]["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == f"localhost/ceph-orchestrator:{__version__}"


def test_everything_goes_into_the_release_s_namespace():
    assert "rook-ceph" not in {
        one["metadata"].get("namespace") for one in rendered(namespace="storage").values()
    }
    bindings = [one for one in rendered(namespace="storage").values() if "subjects" in one]
    named = {subject["namespace"] for one in bindings for subject in one["subjects"]}
    assert named == {"storage"}


def test_values_reach_the_operator_s_pod():
    tolerations = [{"key": "storage", "operator": "Exists"}]
    values = {
        "image": {"repository": "registry.example/operator", "tag": "1.2"},
        "imagePullSecrets": [{"name": "pull"}],
        "nodeSelector": {"role": "storage"},
        "priorityClassName": "system-cluster-critical",
        "tolerations": tolerations,
        "affinity": {"nodeAffinity": {}},
        "podAnnotations": {"note": "mine"},
    }
    spec = operator(values)
    assert spec["containers"][0]["image"] == "registry.example/operator:1.2"
    assert spec["imagePullSecrets"] == [{"name": "pull"}]
    assert spec["nodeSelector"] == {"role": "storage"}
    assert spec["priorityClassName"] == "system-cluster-critical"
    assert spec["tolerations"] == tolerations
    assert spec["affinity"] == {"nodeAffinity": {}}
    template = rendered(values)[OPERATOR]["spec"]["template"]
    assert template["metadata"]["annotations"]["note"] == "mine"


@pytest.mark.parametrize("values", [{"replica": 2}, {"replicas": "2"}, {"config": {"A": True}}])
def test_a_value_that_is_misspelt_or_of_the_wrong_kind_is_refused(values):
    chart = helm.Chart.load(str(CHART))
    with pytest.raises(helm.HelmError):
        chart.validate_schema(chart.merge_values(copy.deepcopy(values)))


def test_the_discovery_of_disks_can_be_left_out():
    assert ("DaemonSet", "rook-discover") in rendered()
    assert ("DaemonSet", "rook-discover") not in rendered({"enableDiscoveryDaemon": False})


def test_the_discovery_of_disks_is_not_privileged():
    pod = rendered()["DaemonSet", "rook-discover"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    (host,) = (one for one in pod["volumes"] if "hostPath" in one)
    (mount,) = (one for one in container["volumeMounts"] if one["name"] == host["name"])
    assert mount["readOnly"] is True
