"""The accounts of deploy/rbac may do what they need, and no more."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kubernetes import client, config

from lab.kubernetes import kubectl
from lab.kubernetes.plane import ControlPlane
from lab.kubernetes.where import Where
from tests.contract.paths import ROOT

pytestmark = pytest.mark.kubernetes

RBAC = ROOT / "deploy" / "rbac"
HERE, ELSEWHERE = "rook-ceph", "default"
WORK = ("create", "delete", "get", "list", "update", "watch")
MANAGED = (
    "configmaps",
    "cronjobs.batch",
    "deployments.apps",
    "endpointslices.discovery.k8s.io",
    "poddisruptionbudgets.policy",
    "secrets",
    "services",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    plane = ControlPlane(where=Where(folder=tmp_path_factory.mktemp("rights")), bound=True)
    try:
        plane.up()
        kubectl.run(plane.kubeconfig, "apply", "--filename", str(RBAC.parent / "namespace.yaml"))
        kubectl.run(plane.kubeconfig, "apply", "--filename", str(RBAC))
        yield plane.kubeconfig
    finally:
        plane.down()


def may(server: Path, account: str, verb: str, what: str, namespace: str = HERE) -> bool:
    """Ask the API server's own authorizer; `what` is like `pods/exec` or `jobs.batch`."""
    name, _, group = what.partition(".")
    resource, _, subresource = name.partition("/")
    attributes = {
        "verb": verb,
        "group": group,
        "resource": resource,
        "subresource": subresource,
        "namespace": namespace,
    }
    user = f"system:serviceaccount:{HERE}:{account}"
    review = {"spec": {"user": user, "resourceAttributes": attributes}}
    with config.new_client_from_config(str(server)) as connection:
        asked = client.AuthorizationV1Api(connection).create_subject_access_review(review)
    return bool(asked.status.allowed)


@pytest.mark.parametrize("what", MANAGED)
def test_the_operator_manages_the_objects_of_its_own_namespace_alone(server: Path, what: str):
    assert {verb: may(server, "rook-ceph-system", verb, what) for verb in WORK} == dict.fromkeys(
        WORK, True
    )
    assert not may(server, "rook-ceph-system", "get", what, ELSEWHERE)


@pytest.mark.parametrize(
    ("verb", "what"),
    [
        ("watch", "cephclusters.ceph.rook.io"),
        ("update", "cephclusters.ceph.rook.io"),
        ("update", "cephclusters/status.ceph.rook.io"),
        ("create", "jobs.batch"),
        ("delete", "jobs.batch"),
        ("list", "jobs.batch"),
        ("get", "pods"),
        ("delete", "pods"),
        ("get", "pods/log"),
        ("list", "cephblockpools.ceph.rook.io"),
        ("create", "pods/exec"),
        ("create", "leases.coordination.k8s.io"),
        ("watch", "servicemonitors.monitoring.coreos.com"),
        ("patch", "servicemonitors.monitoring.coreos.com"),
        ("patch", "endpoints"),
        ("patch", "services"),
        ("get", "events"),
        ("patch", "events"),
    ],
)
def test_the_operator_may(server: Path, verb: str, what: str):
    assert may(server, "rook-ceph-system", verb, what)
    assert not may(server, "rook-ceph-system", verb, what, ELSEWHERE)


@pytest.mark.parametrize(
    ("verb", "what"),
    [
        ("create", "pods"),
        ("patch", "pods"),
        ("watch", "pods"),
        ("update", "jobs.batch"),
        ("patch", "secrets"),
        ("patch", "deployments.apps"),
        ("patch", "leases.coordination.k8s.io"),
        ("list", "leases.coordination.k8s.io"),
        ("list", "cephnvmeofgateways.ceph.rook.io"),
        ("patch", "cephclusters.ceph.rook.io"),
        ("delete", "cephclusters.ceph.rook.io"),
        ("update", "cephblockpools.ceph.rook.io"),
        ("create", "roles.rbac.authorization.k8s.io"),
        ("create", "serviceaccounts"),
        ("delete", "persistentvolumeclaims"),
        ("list", "endpoints"),
        ("create", "prometheusrules.monitoring.coreos.com"),
        ("create", "daemonsets.apps"),
    ],
)
def test_the_operator_may_not(server: Path, verb: str, what: str):
    assert not may(server, "rook-ceph-system", verb, what)


def test_what_belongs_to_no_namespace_is_only_read(server: Path):
    assert may(server, "rook-ceph-system", "watch", "nodes", "")
    assert may(server, "rook-ceph-system", "list", "persistentvolumes", "")
    assert not may(server, "rook-ceph-system", "get", "nodes", "")
    assert not may(server, "rook-ceph-system", "patch", "nodes", "")
    assert not may(server, "rook-ceph-system", "delete", "persistentvolumes", "")
    assert not may(server, "rook-ceph-system", "list", "secrets", "")


def test_a_mgr_labels_pods_and_reads_no_secret(server: Path):
    assert may(server, "rook-ceph-mgr", "patch", "pods")
    assert all(may(server, "rook-ceph-mgr", verb, "pods") for verb in ("list", "update"))
    assert not may(server, "rook-ceph-mgr", "get", "pods")
    assert not may(server, "rook-ceph-mgr", "get", "secrets")
    assert not may(server, "rook-ceph-mgr", "delete", "pods")


def test_the_discovery_writes_configmaps_and_nothing_else(server: Path):
    assert may(server, "rook-discover", "update", "configmaps")
    assert not may(server, "rook-discover", "update", "configmaps", ELSEWHERE)
    assert not may(server, "rook-discover", "delete", "configmaps")
    assert not any(may(server, "rook-discover", "get", what) for what in ("secrets", "pods"))


@pytest.mark.parametrize(
    "account", ["rook-ceph-default", "rook-ceph-osd", "rook-ceph-cmd-reporter"]
)
def test_daemons_that_need_no_rights_have_none(server: Path, account: str):
    assert not any(may(server, account, "get", what) for what in (*MANAGED, "pods"))
    mounted = ("get", "serviceaccount", account, "--namespace", HERE)
    words = ("--output", "jsonpath={.automountServiceAccountToken}")
    assert kubectl.run(server, *mounted, *words) == "false"
