"""What the schema cannot say: rules that compare fields, checked before any host is touched.

Refusals are what Rook refuses too, or what it would take silently in a way that nobody means.
Warnings are for manifests that work, but perhaps not as intended.
"""

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.model.manifest import (
    config_rules,
    kinds,
    mgr_rules,
    mon_rules,
    osd_config,
    placement_rules,
    storage_rules,
)
from orchestrator.model.manifest.problems import Finding, Path
from orchestrator.model.manifest.selections import devices, selections
from orchestrator.model.spec import CephClusterSpec, patterns

Check = Callable[[CephClusterSpec], Iterator[Finding]]

_STRETCH_ZONES = 3
_STRETCH_COUNTS = (3, 5)
# Mounts of Rook's own inside its pods; a data directory there would hide them.
_RESERVED = frozenset({"/etc/ceph", "/rook", "/var/log/ceph"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A check and the fields it reads: it says nothing when one of them was refused already.

    `*` stands for any key or index, a final `**` for everything below.
    """

    check: Check
    reads: tuple[str, ...] = ()

    def readable(self, refused: tuple[Path, ...]) -> bool:
        return not any(_read(pattern, path) for pattern in self.reads for path in refused)


def apply(
    rules: tuple[Rule, ...], spec: CephClusterSpec, refused: tuple[Path, ...]
) -> tuple[Finding, ...]:
    """Run the rules that can be run; `refused` are the paths, below spec, of unreadable fields."""
    return tuple(found for rule in rules if rule.readable(refused) for found in rule.check(spec))


def _read(pattern: str, path: Path) -> bool:
    """Tell whether reading the pattern's field meets the value at the path."""
    parts = pattern.split(".")
    below = parts[-1] == "**"
    parts = parts[:-1] if below else parts
    met = all(part in {"*", str(at)} for part, at in zip(parts, path, strict=False))
    return met and (below or len(path) <= len(parts))


def _stretch(spec: CephClusterSpec) -> Iterator[Finding]:
    stretch = spec.mon.stretch_cluster
    if stretch is None:
        return
    path: Path = ("mon", "stretchCluster", "zones")
    if len(stretch.zones) != _STRETCH_ZONES:
        yield Finding(
            path,
            f"must have exactly {_STRETCH_ZONES} zones, not {len(stretch.zones)}",
            "name two zones for data and one for the arbiter",
        )
    elif sum(zone.arbiter for zone in stretch.zones) != 1:
        yield Finding(path, "must have exactly one arbiter", "set arbiter: true on one zone")
    if spec.mon.count not in _STRETCH_COUNTS:
        yield Finding(
            ("mon", "count"),
            "must be 3 or 5 in a stretch cluster",
            "use 5 for two mons in each data zone",
            spec.mon.count,
        )


def _reserved_data_dir(spec: CephClusterSpec) -> Iterator[Finding]:
    path = spec.data_dir_host_path
    if path and posixpath.normpath(path) in _RESERVED:
        yield Finding(
            ("dataDirHostPath",),
            "is a directory that Ceph's daemons use themselves",
            "use another one, such as /var/lib/rook",
            path,
        )


def _missing_data_dir(spec: CephClusterSpec) -> Iterator[Finding]:
    storage = spec.storage
    if not spec.data_dir_host_path and storage.nodes and not storage.use_all_nodes:
        yield Finding(
            ("dataDirHostPath",),
            "is required when storage.nodes is given",
            "add dataDirHostPath: /var/lib/rook",
        )


def _node_names(spec: CephClusterSpec) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for index, node in enumerate(spec.storage.nodes):
        path: Path = ("storage", "nodes", index, "name")
        if not node.name:
            yield Finding(path, "is required", "add the host's name")
        elif node.name != node.name.strip() or " " in node.name:
            yield Finding(path, "must not hold spaces", "write the host's name", node.name)
        elif (same := first.setdefault(node.name.lower(), index)) != index:
            message = f"names the same host as spec.storage.nodes[{same}]"
            yield Finding(path, message, "keep one of them", node.name)


def _devices(spec: CephClusterSpec) -> Iterator[Finding]:
    for path, device in devices(spec):
        if not device.name and not device.fullpath:
            yield Finding(
                path,
                "must have a name or a fullpath",
                "add name: with the device's name or link, or remove the entry",
            )


def _modules(spec: CephClusterSpec) -> Iterator[Finding]:
    for index, module in enumerate(spec.mgr.modules):
        if not module.name:
            path: Path = ("mgr", "modules", index, "name")
            yield Finding(path, "is required", "add the module's name")


def _ignored_nodes(spec: CephClusterSpec) -> Iterator[Finding]:
    storage = spec.storage
    if storage.use_all_nodes and storage.nodes:
        yield Finding(
            ("storage", "nodes"),
            "is ignored because storage.useAllNodes is true",
            "set useAllNodes to false to use these nodes only",
        )


def _no_nodes(spec: CephClusterSpec) -> Iterator[Finding]:
    storage = spec.storage
    selected = storage.use_all_nodes or storage.nodes or storage.storage_class_device_sets
    if not selected and not spec.external.enable:
        yield Finding(
            ("storage",),
            "selects no node, so no OSD is made",
            "set useAllNodes to true or name nodes",
        )


def _pattern_names(spec: CephClusterSpec) -> Iterator[Finding]:
    for path, device in devices(spec):
        if patterns.resembles(device.name):
            yield Finding(
                (*path, "name"),
                "looks like a pattern, but a device's name is taken literally",
                "use deviceFilter for a pattern",
                device.name,
            )


def _filter_with_path(spec: CephClusterSpec) -> Iterator[Finding]:
    for path, selection in selections(spec):
        if "/" in selection.device_filter:
            yield Finding(
                (*path, "deviceFilter"),
                "holds a slash, but is searched for in kernel names such as sda, without /dev",
                "use devicePathFilter for paths",
                selection.device_filter,
            )


REFUSALS = (
    Rule(mon_rules.zones, ("mon.zones", "mon.count")),
    Rule(_stretch, ("mon.stretchCluster.**", "mon.count")),
    Rule(mon_rules.network, ("network.provider", "network.selectors.**", "network.hostNetwork")),
    Rule(
        mon_rules.families,
        ("network.ipFamily", "network.dualStack", "network.addressRanges.**"),
    ),
    Rule(
        mon_rules.mons_share_a_host,
        ("network.provider", "network.hostNetwork", "mon.allowMultiplePerNode", "mon.count"),
    ),
    Rule(_reserved_data_dir, ("dataDirHostPath",)),
    Rule(_missing_data_dir, ("dataDirHostPath", "storage.useAllNodes")),
    Rule(_node_names, ("storage.nodes.*.name",)),
    Rule(
        _devices,
        tuple(
            f"storage.{devices}.*.{field}"
            for devices in ("devices", "nodes.*.devices")
            for field in ("name", "fullpath")
        ),
    ),
    Rule(_modules, ("mgr.modules.*.name",)),
    Rule(osd_config.refusals),
    Rule(
        storage_rules.full_ratios,
        ("storage.nearFullRatio", "storage.backfillFullRatio", "storage.fullRatio"),
    ),
    Rule(placement_rules.refusals, ("placement.**",)),
    Rule(config_rules.refusals, ("cephConfig", "cephConfigFromSecret")),
)
# These run on a manifest that is valid throughout.
WARNINGS = (
    Rule(mon_rules.even_mons),
    Rule(mon_rules.timeouts),
    Rule(_ignored_nodes),
    Rule(_no_nodes),
    Rule(_pattern_names),
    Rule(_filter_with_path),
    Rule(mgr_rules.well_known_modules),
    Rule(mgr_rules.low_port),
    Rule(mgr_rules.shared_ports),
    Rule(osd_config.unknown_keys),
    Rule(config_rules.taken_back),
    Rule(kinds.unknown),
)
