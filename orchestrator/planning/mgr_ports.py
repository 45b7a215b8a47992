"""Ports of the modules' web servers where several mgrs share a host, and with it its addresses.

Each mgr serves, a standby too, so only one of them can have the port of the manifest. Ceph knows
options of a single mgr for that (`mgr/dashboard/b/ssl_server_port`): the first mgr of a host keeps
the port, and each later one has the next. Who looks for the active one asks `ceph mgr services`.
"""

from collections.abc import Iterator, Mapping

from orchestrator.model.facts import Facts
from orchestrator.model.names import HostName
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import module_options

HIGHEST_PORT = 65535

Places = Mapping[str, HostName]
"""Mgrs by id, and where each is or will be."""


def sharing(spec: CephClusterSpec, facts: Facts, places: Places) -> dict[str, HostName]:
    """Those of `places` that have their host's addresses; a pod has one of its own."""
    own = spec.mgr.host_network
    if own is None:
        own = spec.network.host_network or spec.network.provider == "host"
    return {mgr: name for mgr, name in places.items() if own or not facts.hosts[name].pods}


def wanted(spec: CephClusterSpec, places: Places) -> dict[tuple[str, str], str]:
    """Section and name → value, for every mgr but the first of its host."""
    ports = module_options.ports(spec)
    return {
        (module_options.SECTION, f"mgr/{module}/{mgr}/{option}"): str(_next(port, index))
        for mgr, index in _later(places)
        for module, (option, port) in ports.items()
    }


def _later(places: Places) -> Iterator[tuple[str, int]]:
    met: dict[HostName, int] = {}
    for mgr in sorted(places, key=lambda name: (len(name), name)):
        index = met.get(places[mgr], 0)
        met[places[mgr]] = index + 1
        if index:
            yield mgr, index


def _next(port: int, index: int) -> int:
    """The port so many places on; at the end of all ports, so many before it."""
    return port + index if port + index <= HIGHEST_PORT else port - index
