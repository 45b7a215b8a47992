"""What `ceph_host_info` says it returns is what the model reads: one sample holds both together."""

import ast
from typing import Any

import yaml

from orchestrator.ansible.facts import parse_cluster, parse_host
from orchestrator.model.facts import DaemonType
from orchestrator.model.names import HostName
from tests.contract.paths import ROOT

MODULE = ROOT / "plugins" / "modules" / "ceph_host_info.py"


def documented(result: str) -> dict[str, Any]:
    """The samples of one documented result, put together."""
    for node in ast.parse(MODULE.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "RETURN":
            entry = yaml.safe_load(ast.literal_eval(node.value))[result]
            parts = {name: one["sample"] for name, one in entry.get("contains", {}).items()}
            return parts or dict(entry["sample"])
    raise AssertionError("the module has no RETURN")


def test_the_sample_of_a_host_parses_whole() -> None:
    sample = documented("host")
    host = parse_host(HostName("store-a"), sample)
    assert host.reachable, host.error
    assert (host.hostname, host.ceph_version) == (sample["hostname"], sample["ceph_version"])
    assert len(host.daemons) == len(sample["daemons"]) > 0
    assert len(host.devices) == len(sample["devices"]) > 0
    mons = host.daemons_of(DaemonType.MON)
    assert mons[0].monmap_epoch == next(
        one["monmap_epoch"] for one in sample["daemons"] if one["type"] == "mon"
    )
    assert any(device.osd for device in host.devices)


def test_the_sample_of_a_cluster_parses_whole() -> None:
    sample = documented("cluster")
    cluster = parse_cluster(sample)
    assert cluster.errors == tuple(sample["errors"])
    assert cluster.fsid == sample["fsid"]
    assert len(cluster.mons) == len(sample["mons"]) > 0
    assert cluster.osds[0].in_ is sample["osds"][0]["in"]
    assert cluster.status["health"]["status"].startswith("HEALTH_")
