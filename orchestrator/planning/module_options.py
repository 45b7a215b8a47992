"""Options of mgr modules that the manifest has fields for, as Rook sets them.

They are kept in the mon store like `cephConfig`, and are there before a mgr first starts. Only what
differs from Ceph's default is asked for, except where Rook's default is not Ceph's.
"""

from collections.abc import Collection, Iterator, Mapping

from orchestrator.model import durations
from orchestrator.model.plan import Service
from orchestrator.model.spec import CephClusterSpec

SECTION = "mgr"
PROMETHEUS, DASHBOARD, BALANCER = "prometheus", "dashboard", "balancer"
PROMETHEUS_PORT = 9283
HTTP_PORT, HTTPS_PORT = 7000, 8443
"""Rook's ports of the dashboard; Ceph's own for HTTP is 8080."""

LOWEST_PORT = 1024
"""A mgr runs as the user ceph, who cannot have lower ones."""

BALANCER_MODE = "upmap"
LIVE = ("mgr/dashboard/PROMETHEUS_API_", "mgr/balancer/", "mgr/crash/")
"""Options that are read whenever they are needed, so that nothing is restarted for them."""


SERVING = (DASHBOARD, PROMETHEUS)


def serving(spec: CephClusterSpec) -> set[str]:
    """The modules with a web server that the manifest has on."""
    on = {DASHBOARD: spec.dashboard.enabled, PROMETHEUS: not spec.monitoring.metrics_disabled}
    return {name for name in SERVING if on[name]}


def wanted(spec: CephClusterSpec) -> dict[tuple[str, str], str]:
    """Section and name → value."""
    found = (*_prometheus(spec), *_dashboard(spec), *_balancer(spec))
    return {(SECTION, f"mgr/{name}"): value for name, value in found}


def _prometheus(spec: CephClusterSpec) -> Iterator[tuple[str, str]]:
    monitoring = spec.monitoring
    if monitoring.metrics_disabled:
        return
    if monitoring.port != PROMETHEUS_PORT:
        yield "prometheus/server_port", str(monitoring.port)
    interval = durations.seconds(monitoring.interval)
    if interval:
        yield "prometheus/scrape_interval", format(interval.normalize(), "f")


def _dashboard(spec: CephClusterSpec) -> Iterator[tuple[str, str]]:
    dashboard = spec.dashboard
    if not dashboard.enabled:
        return
    yield "dashboard/ssl", _switch(on=dashboard.ssl)
    yield f"dashboard/{_port_option(spec)}", str(dashboard_port(spec))
    if dashboard.url_prefix:
        yield "dashboard/url_prefix", dashboard.url_prefix
    if dashboard.prometheus_endpoint:
        yield "dashboard/PROMETHEUS_API_HOST", dashboard.prometheus_endpoint
        verify = _switch(on=dashboard.prometheus_endpoint_ssl_verify)
        yield "dashboard/PROMETHEUS_API_SSL_VERIFY", verify


def ports(spec: CephClusterSpec) -> dict[str, tuple[str, int]]:
    """Of each module that serves: the option for its port, and the port."""
    found = {
        DASHBOARD: (_port_option(spec), dashboard_port(spec)),
        PROMETHEUS: ("server_port", spec.monitoring.port),
    }
    return {name: found[name] for name in sorted(serving(spec))}


def _port_option(spec: CephClusterSpec) -> str:
    return "ssl_server_port" if spec.dashboard.ssl else "server_port"


def dashboard_port(spec: CephClusterSpec) -> int:
    """Rook maps a port below 1024 to the default one, and so do we."""
    default = HTTPS_PORT if spec.dashboard.ssl else HTTP_PORT
    return spec.dashboard.port if spec.dashboard.port >= LOWEST_PORT else default


def _balancer(spec: CephClusterSpec) -> Iterator[tuple[str, str]]:
    """The balancer is a module that is always on; what is turned on or off is its work."""
    for module in spec.mgr.modules:
        if module.name == BALANCER:
            yield "balancer/active", _switch(on=module.enabled)
            if module.enabled:
                yield "balancer/mode", module.settings.balancer_mode or BALANCER_MODE


def _switch(*, on: bool) -> str:
    return "true" if on else "false"


def module_of(name: str, mgrs: Collection[str]) -> str:
    """The module whose option this is; empty when it is none, or nobody has to read it anew.

    A module reads most of its options when it starts, and those of a single mgr only there; `mgrs`
    are those that run.
    """
    if not name.startswith("mgr/") or name.startswith(LIVE):
        return ""
    _, module, *rest = name.split("/")
    return "" if len(rest) > 1 and rest[0] not in mgrs else module


def service(module: str, options: Mapping[tuple[str, str], str], mgr: str = "") -> Service | None:
    """Where a module of a mgr must serve, as far as `options` (all that are wanted) say so."""

    def option(name: str) -> str:
        common = options.get((SECTION, f"mgr/{module}/{name}"), "")
        return options.get((SECTION, f"mgr/{module}/{mgr}/{name}"), common)

    if module == PROMETHEUS and option("server_port"):
        return Service(port=int(option("server_port")))
    if module == DASHBOARD and option("ssl"):
        ssl = option("ssl") == "true"
        port = option("ssl_server_port" if ssl else "server_port")
        path = f"/{option('url_prefix').strip('/')}".rstrip("/")
        return Service(port=int(port or 0), scheme="https" if ssl else "http", path=f"{path}/")
    return None
