"""What stands in for the operator's steps where somebody runs the playbooks by hand."""

import zipfile

import pytest
import yaml

from lab.kubernetes import by_hand, operator_image
from lab.proc import LabError
from orchestrator.ansible.kubernetes.inventory import CONTAINER
from tests.contract.paths import ROOT

CLUSTER = {
    "metadata": {"name": "rook-ceph", "namespace": "rook-ceph", "uid": "u-1"},
    "spec": {"cephVersion": {"image": "ceph:20"}, "dataDirHostPath": "/var/lib/rook"},
}
SCENARIO = yaml.safe_load((ROOT / "molecule" / "kubernetes" / "molecule.yml").read_text())
VARIABLES = SCENARIO["provisioner"]["inventory"]["group_vars"]["all"]


def test_a_node_has_the_pod_of_its_job_for_as_long_as_it_is_wanted():
    pod = by_hand.pod(CLUSTER, "node-1")

    assert pod["metadata"]["name"] == "rook-ceph-osd-prepare-node-1"
    assert pod["spec"]["restartPolicy"] == "Always"
    assert pod["spec"]["nodeSelector"] == {"kubernetes.io/hostname": "node-1"}
    assert pod["spec"]["containers"][0]["image"] == "ceph:20"


def test_it_belongs_to_no_daemon_and_to_no_job():
    """The operator's labels would have others take it for theirs."""
    assert by_hand.pod(CLUSTER, "node-1")["metadata"]["labels"] == {"app": "by-hand"}


def test_the_scenario_names_the_pods_that_are_made():
    named = VARIABLES["ansible_kubectl_pod"].replace("{{ inventory_hostname }}", "node-1")
    assert named == by_hand.pod(CLUSTER, "node-1")["metadata"]["name"]
    assert VARIABLES["ansible_kubectl_container"] == CONTAINER


def test_of_all_collections_only_the_connection_is_unpacked(tmp_path, monkeypatch):
    wheel = tmp_path / "ansible-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("ansible_collections/kubernetes/core/MANIFEST.json", "{}")
        archive.writestr("ansible_collections/community/general/MANIFEST.json", "{}")
    monkeypatch.setattr(operator_image, "collections_wheel", lambda: wheel)
    files = by_hand.Files(tmp_path / "by-hand")

    by_hand.unpack_collection(files)

    found = [path.relative_to(files.collections) for path in files.collections.rglob("*.json")]
    assert list(map(str, found)) == ["ansible_collections/kubernetes/core/MANIFEST.json"]


def test_without_an_image_there_is_no_package_to_take_it_from(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(LabError, match="load-operator"):
        operator_image.collections_wheel()
