"""Warnings about mgr modules and the dashboard: what works, but not as it reads."""

from collections.abc import Iterator

from orchestrator.model.manifest.problems import Finding, Path
from orchestrator.model.spec import CephClusterSpec

_LOWEST_PORT = 1024
_OTHER_FIELDS = {"dashboard": "spec.dashboard", "prometheus": "spec.monitoring"}


def well_known_modules(spec: CephClusterSpec) -> Iterator[Finding]:
    """Rook refuses to configure these by the list of modules; here the list is not asked."""
    for index, module in enumerate(spec.mgr.modules):
        field = _OTHER_FIELDS.get(module.name)
        if field:
            path: Path = ("mgr", "modules", index, "name")
            yield Finding(path, f"is turned on and off by {field}", "remove the entry", module.name)


def shared_ports(spec: CephClusterSpec) -> Iterator[Finding]:
    """On bare hosts mgrs of one host share its addresses, and each wants the module's port."""
    mgr = spec.mgr
    if mgr.allow_multiple_per_node and mgr.count > 1 and spec.dashboard.enabled:
        yield Finding(
            ("mgr", "allowMultiplePerNode"),
            "lets several mgrs share a host, of which one alone can have the dashboard's port",
            "set it to false where there are hosts enough",
            mgr.allow_multiple_per_node,
        )


def low_port(spec: CephClusterSpec) -> Iterator[Finding]:
    """A mgr runs as the user ceph; Rook maps such a port to the default one too."""
    dashboard = spec.dashboard
    if dashboard.enabled and 0 < dashboard.port < _LOWEST_PORT:
        yield Finding(
            ("dashboard", "port"),
            "is below 1024, which a mgr cannot have; the default one is used",
            "leave it out, and redirect the port in front of the mgrs",
            dashboard.port,
        )
