"""Where the spec selects devices: at the cluster's level and at every node's, with the paths."""

from collections.abc import Iterator, Mapping

from orchestrator.model.manifest.problems import Path
from orchestrator.model.spec import CephClusterSpec, Device, Selection


def selections(spec: CephClusterSpec) -> Iterator[tuple[Path, Selection]]:
    yield ("storage",), spec.storage
    for index, node in enumerate(spec.storage.nodes):
        yield ("storage", "nodes", index), node


def devices(spec: CephClusterSpec) -> Iterator[tuple[Path, Device]]:
    for path, selection in selections(spec):
        for index, device in enumerate(selection.devices):
            yield (*path, "devices", index), device


def configs(spec: CephClusterSpec) -> Iterator[tuple[Path, Mapping[str, str]]]:
    """Give every map of OSD settings."""
    for path, selection in selections(spec):
        yield (*path, "config"), selection.config
    for path, device in devices(spec):
        yield (*path, "config"), device.config
    for index, device_set in enumerate(spec.storage.storage_class_device_sets):
        yield ("storage", "storageClassDeviceSets", index, "config"), device_set.config
