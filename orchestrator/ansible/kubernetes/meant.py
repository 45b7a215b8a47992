"""What of the manifest a look into a node's disks is made on (pure).

Only what says which disks are meant, and what is made of them: an OSD's class, weight and place
are Ceph's to change, and ratios, pauses and limits of pods say nothing of any disk.
"""

from collections.abc import Mapping
from typing import Any

from orchestrator.model.names import HostName

SELECTION = ("useAllDevices", "deviceFilter", "devicePathFilter")
"""Fields of `storage` and of its nodes that choose disks, beside `devices` and `config`."""

OF_CEPH = frozenset({"crushRoot", "deviceClass", "initialWeight", "primaryAffinity"})
"""Keys of `config` that say what an OSD is to Ceph, whatever disk it is on."""

Raw = Mapping[str, Any]


def of_node(spec: Raw, node: HostName) -> dict[str, Any]:
    """What the spec of a CephCluster, as the API server gives it, says of the disks of `node`."""
    storage = spec.get("storage") or {}
    policy = spec.get("cleanupPolicy") or {}
    everywhere = bool(storage.get("useAllNodes"))
    nodes = () if everywhere else storage.get("nodes") or ()
    return {
        "wipe": bool(policy.get("wipeDevicesFromOtherClusters")),
        "all": everywhere,
        "cluster": _selection(storage),
        "own": [_selection(one) for one in nodes if _may_mean(one, node)],
    }


def _may_mean(entry: Raw, node: HostName) -> bool:
    """Whether an entry can be that of `node`, whose names may be short or full, in any case."""
    names = (str(entry.get("name") or ""), str(node))
    first, second = (name.lower().partition(".")[0] for name in names)
    return first == second


def _selection(section: Raw) -> dict[str, Any]:
    return {
        **{name: section[name] for name in SELECTION if section.get(name) is not None},
        "config": _config(section),
        "devices": [
            {"name": one.get("name"), "fullpath": one.get("fullpath"), "config": _config(one)}
            for one in section.get("devices") or ()
        ],
    }


def _config(section: Raw) -> dict[str, str]:
    config = section.get("config") or {}
    return {key: value for key, value in config.items() if key not in OF_CEPH}
