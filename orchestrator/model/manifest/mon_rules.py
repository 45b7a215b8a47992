"""Rules of `spec.mon`, `spec.network` and of how mons are looked after, checked before any host."""

import ipaddress
from collections.abc import Iterator

from orchestrator.model.manifest.problems import Finding
from orchestrator.model.spec import CephClusterSpec, durations


def zones(spec: CephClusterSpec) -> Iterator[Finding]:
    if len(spec.mon.zones) > spec.mon.count:
        yield Finding(
            ("mon", "zones"),
            f"has {len(spec.mon.zones)} zones for {spec.mon.count} mons",
            "zones must be less than or equal to mon.count",
        )


def network(spec: CephClusterSpec) -> Iterator[Finding]:
    network = spec.network
    if network.provider == "multus" and not network.selectors:
        yield Finding(
            ("network", "selectors"),
            "must have at least one network selector when the provider is multus",
            "add selectors.public or selectors.cluster",
        )
    if network.host_network and network.provider:
        yield Finding(
            ("network", "hostNetwork"),
            "can only be set when network.provider is empty",
            "remove hostNetwork: network.provider says it all",
            network.host_network,
        )


def families(spec: CephClusterSpec) -> Iterator[Finding]:
    """Refuse ranges in which no daemon could find an address of a family that it must have."""
    network = spec.network
    wanted = {4, 6} if network.dual_stack else {4 if network.ip_family == "IPv4" else 6}
    if not network.dual_stack and network.ip_family is None:
        return
    for name in ("public", "cluster"):
        ranges: tuple[str, ...] = getattr(network.address_ranges, name)
        there = {ipaddress.ip_network(text, strict=False).version for text in ranges}
        if ranges and (lacking := sorted(wanted - there)):
            yield Finding(
                ("network", "addressRanges", name),
                f"has no range of IPv{lacking[0]}, which the manifest asks for",
                "add one, or correct network.ipFamily and network.dualStack",
            )


def mons_share_a_host(spec: CephClusterSpec) -> Iterator[Finding]:
    """Refuse several mons on one host's network: they would want the same ports."""
    on_host = spec.network.provider == "host" or spec.network.host_network
    if on_host and spec.mon.allow_multiple_per_node and spec.mon.count > 1:
        yield Finding(
            ("mon", "allowMultiplePerNode"),
            f"cannot be used with the host network and {spec.mon.count} mons",
            "set it to false: mons on the host network would share ports",
            spec.mon.allow_multiple_per_node,
        )


def even_mons(spec: CephClusterSpec) -> Iterator[Finding]:
    count = spec.mon.count
    if count % 2 == 0:
        yield Finding(
            ("mon", "count"),
            f"is even: {count} mons survive no more failures than {count - 1}",
            f"use {count - 1} or {count + 1}",
            count,
        )


def timeouts(spec: CephClusterSpec) -> Iterator[Finding]:
    health = spec.health_check.daemon_health
    for name, check in (("mon", health.mon), ("osd", health.osd), ("status", health.status)):
        found = durations.seconds(check.timeout) if check.timeout else 0.0
        if found is None or found < 0:
            yield Finding(
                ("healthCheck", "daemonHealth", name, "timeout"),
                "is no duration, so the default counts",
                'write it as "10m", or "0" for never',
                check.timeout,
            )
