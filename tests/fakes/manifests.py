"""Manifests as text for tests, and their problems and warnings as lines."""

import pytest

from orchestrator.model import manifest

HEAD = "apiVersion: ceph.rook.io/v1\nkind: CephCluster\nmetadata: {name: my-cluster}\n"
SPEC = HEAD + "spec:\n"  # the spec's own fields begin on line 5
STORAGE = SPEC + "  storage:\n"
NODES = "  dataDirHostPath: /var/lib/rook\n"


def parse(text, **choice):
    return manifest.parse_manifest(text, source="f.yaml", **choice)


def warnings(text):
    return [str(warning) for warning in parse(text).warnings]


def refusals(text, **choice):
    with pytest.raises(manifest.SpecError) as caught:
        parse(text, **choice)
    return [str(problem) for problem in caught.value.problems]


def whole(spec):
    """Give the object of the Kubernetes API with this spec."""
    return {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": {"name": "c", "namespace": "ns", "labels": None},
        "spec": spec,
    }
