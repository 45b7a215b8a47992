"""A manifest that cannot be understood stops its own cluster and no other (C15)."""

import pytest

from orchestrator.model.manifest import SpecError, parse_manifest

BAD = """\
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: bad, namespace: rook-bad}
spec:
  dataDirHostPath: /var/lib/rook
  storage:
    useAllNodes: false
    config:
      nodes:
      - name: store-a
        devices: [{name: vdb}]
"""
GOOD = """\
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: good, namespace: rook-ceph}
spec:
  dataDirHostPath: /var/lib/rook
  storage: {useAllNodes: true}
"""


def test_c15_nodes_below_config_are_refused_with_the_path_and_nothing_is_put_in_their_place():
    with pytest.raises(SpecError) as caught:
        parse_manifest(BAD, source="f.yaml")

    assert "spec.storage.config.nodes" in str(caught.value)
    assert "must be a string" in str(caught.value)


@pytest.mark.parametrize(
    "text", [f"{BAD}---\n{GOOD}", f"{GOOD}---\n{BAD}"], ids=["after", "before"]
)
def test_c15_a_good_cluster_is_read_beside_a_bad_one(text):
    found = parse_manifest(text, source="f.yaml", name="good")

    assert found.cluster.key.name == "good"
    assert found.cluster.spec.storage.use_all_nodes
    with pytest.raises(SpecError):
        parse_manifest(text, source="f.yaml", name="bad")
