"""The operator's rights are those that the sources use: neither fewer nor more."""

import itertools
from collections.abc import Iterator

import yaml

from orchestrator.controller.manager import NOT_EVERYWHERE, OWNED
from orchestrator.stores.kubernetes import dependents
from orchestrator.stores.kubernetes.connection import CEPH_CLUSTER, NODE, Kind
from tests.contract.paths import ROOT

RBAC = ROOT / "deploy" / "rbac" / "operator.yaml"
WATCHED = (CEPH_CLUSTER, NODE, *OWNED, *NOT_EVERYWHERE)


def rights() -> Iterator[tuple[str, str, frozenset[str]]]:
    """API group, resource and verbs of each rule of the operator."""
    for found in yaml.safe_load_all(RBAC.read_text()):
        for rule in found.get("rules") or ():
            (group,) = rule["apiGroups"]
            for resource in rule["resources"]:
                yield group, resource, frozenset(rule["verbs"])


def resource_of(kind: Kind) -> tuple[str, str]:
    group, _, version = kind.api_version.rpartition("/")
    assert version
    return group, f"{kind.name.lower()}s"


def test_what_is_watched_may_be_watched_and_nothing_else() -> None:
    watched = {(group, name) for group, name, verbs in rights() if "watch" in verbs}
    assert watched == {resource_of(kind) for kind in WATCHED}


def test_the_page_has_the_rights_of_an_operator_of_all_namespaces() -> None:
    text = (ROOT / "docs" / "kubernetes.md").read_text()
    block = text.partition("```yaml\napiVersion: rbac.")[2].partition("```")[0]
    found = {
        (*rule["apiGroups"], resource)
        for rule in yaml.safe_load("apiVersion: rbac." + block)["rules"]
        for resource in rule["resources"]
        if rule["verbs"] == ["list", "watch"]
    }
    assert found == {resource_of(kind) for kind in WATCHED if kind != NODE}


def test_whatever_may_be_watched_may_be_listed() -> None:
    assert all("list" in verbs for _, _, verbs in rights() if "watch" in verbs)


def test_what_blocks_a_deletion_may_be_listed_and_nothing_else_of_its_kind() -> None:
    others = {
        name: verbs
        for group, name, verbs in rights()
        if group == "ceph.rook.io" and not name.startswith("cephclusters")
    }
    wanted = {plural.lower() for plural in dependents.PLURALS.values()}
    assert others == dict.fromkeys(wanted, frozenset({"list"}))


def test_each_rule_has_its_reason() -> None:
    lines = RBAC.read_text().splitlines()
    before = [above for above, line in itertools.pairwise(lines) if "- apiGroups" in line]
    assert before
    assert all(line.startswith("  #") for line in before)


def test_a_mgr_may_label_its_pod_as_ours_and_as_rooks_do() -> None:
    listed = yaml.safe_load_all((RBAC.parent / "daemons.yaml").read_text())
    (role,) = [
        one for one in listed if (one["kind"], one["metadata"]["name"]) == ("Role", "rook-ceph-mgr")
    ]
    (rule,) = role["rules"]
    assert (rule["resources"], rule["verbs"]) == (["pods"], ["list", "update", "patch"])
