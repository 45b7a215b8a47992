"""What a node is made with."""

import json
from ipaddress import IPv4Network

import pytest

from lab.kubernetes import nodes
from lab.settings import Lab

NET = IPv4Network("10.228.54.0/24")


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path / "kubernetes")


def test_a_node_routes_to_the_pods_of_all_others():
    assert nodes.routes("node-2", ["node-1", "node-2", "node-3"], NET) == (
        "100.80.217.0/26 10.228.54.11\n100.80.217.128/26 10.228.54.13\n"
    )


def test_the_pod_network_gives_addresses_of_the_nodes_own_subnet():
    bridge, ports = json.loads(nodes.cni(nodes.pods("node-1", NET)))["plugins"]
    assert bridge["ipam"]["ranges"] == [[{"subnet": "100.80.217.0/26"}]]
    assert ports["type"] == "portmap"


def test_nodes_that_are_there_stay_whatever_is_asked_for():
    assert nodes.wanted([], 2) == ["node-1", "node-2"]
    assert nodes.wanted(["node-1", "node-2", "node-3"], 2) == ["node-1", "node-2", "node-3"]


def test_a_node_has_control_groups_and_state_of_its_own(lab):
    words = " ".join(nodes.create_command(lab, "node-1", "IMAGE", NET))
    assert "--cgroupns private" in words
    assert f"{lab.dir}/state/node-1/containerd:/var/lib/containerd" in words
    assert "--ip 10.228.54.11" in words
    assert words.endswith("--pull never IMAGE /usr/local/lib/lab-kubernetes/node-entry.sh")
