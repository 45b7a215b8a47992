"""Texts and the objects in them: which one is the cluster, and what is wrong around it."""

import textwrap

import pytest

from tests.fakes.manifests import HEAD, SPEC, parse, refusals, warnings

METADATA = [
    ("{}", "metadata.name: is required"),
    ("{name: 7}", "metadata.name: 7: must be a string"),
    ("{name: My_Cluster}", 'metadata.name: "My_Cluster": must be a DNS name'),
    ("{name: " + "a" * 254 + "}", "metadata.name: "),
    ("{name: a, namespace: a.b}", 'metadata.namespace: "a.b": must be at most 63'),
    ("{name: a, annotations: {x: 1}}", "metadata.annotations.x: 1: must be a string"),
    ("{name: a, generation: x}", 'metadata.generation: "x": must be an integer'),
    ("text", 'metadata: "text": must be a mapping of fields'),
]


@pytest.mark.parametrize(("metadata", "problem"), METADATA)
def test_wrong_metadata_is_refused(metadata, problem):
    text = f"apiVersion: ceph.rook.io/v1\nkind: CephCluster\nmetadata: {metadata}\nspec: {{}}\n"

    (found,) = refusals(text)
    assert found.startswith(f"f.yaml:3: {problem}")
    assert "; remedy: " in found


DOCUMENTS = [
    ("", "f.yaml: holds no object: the file is empty"),
    ("# only a comment\n---\n---\n", "f.yaml: holds no object: the file is empty"),
    ("- a\n", "f.yaml:1: is not a Kubernetes object"),
    ("just text\n", "f.yaml:1: is not a Kubernetes object"),
    ("a: 1\n", "f.yaml:1: kind: is required"),
    ("kind: [x]\n", "f.yaml:1: kind: is required"),
    ("apiVersion: v1\nkind: Pod\n", 'f.yaml:2: kind: "Pod": is not a CephCluster'),
    (
        HEAD.replace("CephCluster", "CephClutser") + "spec: {}\n",
        'f.yaml:2: kind: "CephClutser": is not a CephCluster; remedy: did you mean CephCluster?',
    ),
    (
        HEAD.replace("io/v1", "io/v1beta1") + "spec: {}\n",
        (
            'f.yaml:1: apiVersion: "ceph.rook.io/v1beta1": must be ceph.rook.io/v1; '
            "remedy: write apiVersion: ceph.rook.io/v1"
        ),
    ),
    (HEAD, "f.yaml:1: spec: is required; remedy: add spec"),
    (HEAD + "spec: text\n", 'f.yaml:4: spec: "text": must be a mapping of fields'),
    (
        f"{HEAD}spec: {{}}\n---\n{HEAD.replace('my-', 'your-')}spec: {{}}\n",
        (
            "f.yaml:6: holds 2 CephClusters: default/my-cluster (line 1), default/your-cluster "
            "(line 6); remedy: choose one with --name"
        ),
    ),
    (
        f"{HEAD}spec: {{}}\n---\n{HEAD}spec: {{}}\n",
        (
            "f.yaml:6: holds 2 CephClusters: default/my-cluster (line 1), default/my-cluster "
            "(line 6); remedy: keep one of them"
        ),
    ),
    ("spec:\n\tmon: 3\n", "f.yaml:2: is indented with a tab"),
    (SPEC + "  mon: {count: 1, count: 2}\n", "f.yaml:5: has the key 'count' a second time"),
]


@pytest.mark.parametrize(("text", "problem"), DOCUMENTS)
def test_a_text_without_its_one_cluster_is_refused(text, problem):
    (found,) = refusals(text)

    assert found.startswith(problem)
    assert "; remedy: " in found


TWO = f"{HEAD}spec: {{mon: {{count: 5}}}}\n---\n{HEAD.replace('my-', 'your-')}spec: {{mon: 1}}\n"


@pytest.mark.parametrize("name", ["my-cluster", "default/my-cluster"])
def test_one_of_several_is_chosen_by_name_and_the_others_errors_are_theirs(name):
    assert parse(TWO, name=name).cluster.spec.mon.count == 5


def test_a_name_that_is_not_there_is_refused():
    (found,) = refusals(TWO, name="their-cluster")

    assert found.startswith(
        "f.yaml: holds no CephCluster named their-cluster; remedy: choose one of:"
    )


def test_objects_of_other_kinds_are_named_once():
    pool = "apiVersion: ceph.rook.io/v1\nkind: CephBlockPool\n"
    text = f"{pool}---\n{HEAD}spec: {{storage: {{useAllNodes: true}}}}\n---\n{pool}"

    assert warnings(text) == [
        (
            "f.yaml:1: objects of other kinds are ignored: "
            "CephBlockPool (line 1), CephBlockPool (line 9)"
        )
    ]


def test_a_list_as_kubectl_writes_it_is_opened():
    text = "apiVersion: v1\nkind: List\nitems:\n" + textwrap.indent(
        SPEC + "  mon: {count: 5}\n", "  "
    ).replace("  api", "- api", 1)

    assert parse(text).cluster.spec.mon.count == 5
    (found,) = refusals(text.replace("count: 5", "count: 12"))
    assert found.startswith("f.yaml:8: spec.mon.count: 12: must be at most 9")
