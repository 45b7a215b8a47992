"""Labels and taints in the inventory, in Kubernetes' own forms, and slips in them."""

import pytest

from orchestrator.ansible import inventory
from orchestrator.ansible.host_labels import LabelError, labels, taints
from orchestrator.model.facts import Taint

DEDICATED = Taint(key="dedicated", value="db", effect="NoSchedule")


def test_values_become_the_texts_that_kubernetes_would_have():
    given = {"storage": True, "slots": 12, "disk": "ssd", "topology.kubernetes.io/zone": "a"}

    assert labels({"ceph_labels": given}) == {
        "storage": "true",
        "slots": "12",
        "disk": "ssd",
        "topology.kubernetes.io/zone": "a",
    }
    assert labels({}) == {}
    assert labels({"ceph_labels": None}) == {}


@pytest.mark.parametrize(
    "given",
    [
        "dedicated=db:NoSchedule",
        {"key": "dedicated", "value": "db", "effect": "NoSchedule"},
    ],
)
def test_a_taint_is_written_as_kubectl_or_as_a_node_has_it(given):
    assert taints({"ceph_taints": [given]}) == (DEDICATED,)


def test_a_taint_needs_no_value():
    expected = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")

    assert taints({"ceph_taints": ["node.kubernetes.io/unschedulable:NoSchedule"]}) == (expected,)
    assert str(expected) == "node.kubernetes.io/unschedulable:NoSchedule"
    assert str(DEDICATED) == "dedicated=db:NoSchedule"
    assert taints({}) == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("disk=ssd", "ceph_labels is 'disk=ssd'; write a mapping"),
        ({"a b": "c"}, "ceph_labels has the key 'a b', which is no key"),
        ({7: "c"}, "ceph_labels has the key 7, which is no key"),
        ({"a": "x" * 64}, "which is no value of a Kubernetes label"),
        ({"a": ["b"]}, "ceph_labels has the value ['b'], which is no value"),
        ({"a": "{{ disk }}"}, "ceph_labels has the value '{{ disk }}', which is no value"),
        ({"a": None}, "ceph_labels has the value None, which is no value"),
    ],
)
def test_a_slip_in_labels_is_named(given, expected):
    with pytest.raises(LabelError) as caught:
        labels({"ceph_labels": given})

    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a:NoSchedule", "ceph_taints is 'a:NoSchedule'; write a list"),
        (["a=b"], "ceph_taints has 'a=b'; write key=value:effect"),
        (["a=b:Never"], "where effect is one of NoSchedule, PreferNoSchedule, NoExecute"),
        ([{"key": "a", "effect": "NoSchedule", "valeu": "b"}], "write key=value:effect"),
        ([{"effect": "NoSchedule"}], "ceph_taints has the key None"),
        ([7], "ceph_taints has 7"),
    ],
)
def test_a_slip_in_taints_is_named(given, expected):
    with pytest.raises(LabelError) as caught:
        taints({"ceph_taints": given})

    assert expected in str(caught.value)


def test_members_carry_both_and_a_slip_names_its_host():
    variables = {"ceph_labels": {"disk": "ssd"}, "ceph_taints": ["dedicated=db:NoSchedule"]}
    listing = {"_meta": {"hostvars": {"ceph-1": variables}}}

    (found,) = inventory.members(listing)

    assert (found.labels, found.taints) == ({"disk": "ssd"}, (DEDICATED,))
    with pytest.raises(inventory.InventoryError, match=r"^ceph-1: ceph_labels is 7; write"):
        inventory.members({"_meta": {"hostvars": {"ceph-1": {"ceph_labels": 7}}}})
