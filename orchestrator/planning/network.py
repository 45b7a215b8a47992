"""What `spec.network` means to Ceph: the options of the mon store and the messengers of mons.

The options are those that Rook sets, and no others; what is turned off again leaves them unset.
"""

from collections.abc import Iterable, Mapping

from orchestrator.model.plan import PlacedMon
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import addresses

GLOBAL = "global"
MAP_OPTIONS = "rbd_default_map_options"


def settings(spec: CephClusterSpec, mons: Iterable[PlacedMon]) -> Mapping[tuple[str, str], str]:
    """Options by section and name; without a family in the manifest the mons' own counts."""
    return {
        (GLOBAL, name): value
        for name, value in {**_ranges(spec), **binds(spec, mons), **_connections(spec)}.items()
    }


def requires_msgr2(spec: CephClusterSpec) -> bool:
    """Encryption and compression are abilities of the new messenger alone."""
    asked = spec.network.connections
    return asked.require_msgr2 or asked.encryption.enabled or asked.compression.enabled


def _ranges(spec: CephClusterSpec) -> dict[str, str]:
    ranges = {"public_network": spec.public_ranges, "cluster_network": spec.cluster_ranges}
    return {name: ",".join(found) for name, found in ranges.items() if found}


def binds(spec: CephClusterSpec, mons: Iterable[PlacedMon] = ()) -> dict[str, str]:
    """Ceph binds to IPv4 alone unless told otherwise, and must not bind to what hosts lack."""
    if spec.network.dual_stack:
        return {"ms_bind_ipv4": "true", "ms_bind_ipv6": "true"}
    families = {addresses.family_of(mon.address) for mon in mons}
    family = spec.network.ip_family or ("IPv6" if families == {"IPv6"} else None)
    if family is None:
        return {}
    return {
        "ms_bind_ipv4": str(family == "IPv4").lower(),
        "ms_bind_ipv6": str(family == "IPv6").lower(),
    }


def _connections(spec: CephClusterSpec) -> dict[str, str]:
    asked = spec.network.connections
    found = {}
    if asked.encryption.enabled:
        modes = ("ms_client_mode", "ms_cluster_mode", "ms_service_mode")
        found = dict.fromkeys(modes, "secure") | {MAP_OPTIONS: "ms_mode=secure"}
    elif requires_msgr2(spec):
        found = {MAP_OPTIONS: "ms_mode=prefer-crc"}
    return found | ({"ms_osd_compress_mode": "force"} if asked.compression.enabled else {})
