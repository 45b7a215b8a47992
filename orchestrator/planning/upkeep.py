"""Why a daemon that exists needs work: one rule for mons, mgrs and OSDs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Daemon, DaemonType, Host
from orchestrator.model.names import Fsid
from orchestrator.model.plan import Action, Change, PlacedMon
from orchestrator.planning import addresses

CONF = "/etc/ceph/ceph.conf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """A change for an existing daemon.

    `restarts` when a running daemon may be stopped for it; `conf_only` when nothing but the host's
    ceph.conf is behind, which can wait for the mons that are still to come.
    """

    change: Change
    restarts: bool
    conf_only: bool


def upkeep(
    host: Host, daemon: Daemon, *, record: str, fsid: Fsid | None, mons: Sequence[PlacedMon]
) -> Upkeep | None:
    """The first thing wrong with `daemon`; setting it up again mends all of them at once."""
    own = _unit(daemon) or _files(daemon, record)
    found = own or _conf(host, daemon, fsid, mons)
    if found is None:
        return None
    action, reason = found
    subject = daemon.name if own else CONF
    return Upkeep(
        change=Change(action=action, subject=subject, host=host.name, reason=reason),
        restarts=daemon.running and (bool(daemon.drifted) or daemon.record != record),
        conf_only=own is None,
    )


def _unit(daemon: Daemon) -> tuple[Action, str] | None:
    unit = f"ceph-{daemon.type}@{daemon.id}"
    if not daemon.running:
        return Action.START, f"{unit} is {daemon.active or 'not loaded'}"
    if not daemon.enabled:
        return Action.REPAIR, f"{unit} is not enabled, so a reboot would leave it stopped"
    return None


def _files(daemon: Daemon, record: str) -> tuple[Action, str] | None:
    if not daemon.keyring:
        return Action.REPAIR, "its keyring is missing"
    if daemon.drifted:
        return Action.REPAIR, "; ".join(daemon.drifted)
    if not daemon.record:
        return Action.UPDATE, "it was not set up by this manifest yet"
    if daemon.record != record:
        return Action.UPDATE, "its description changed"
    return None


def _conf(
    host: Host, daemon: Daemon, fsid: Fsid | None, mons: Sequence[PlacedMon]
) -> tuple[Action, str] | None:
    if daemon.type is not _first_kind(host):
        return None
    if not host.conf.present:
        return Action.REPAIR, "it is missing"
    if host.conf.fsid != (fsid or ""):
        return Action.REPAIR, "it does not name the cluster"
    difference = _difference(mon_addresses(host.conf.mon_host), {mon.address for mon in mons})
    return (Action.REPAIR, f"it {difference}") if difference else None


def _first_kind(host: Host) -> DaemonType:
    """The kind whose step writes a host's ceph.conf, so that it is planned once."""
    present = {daemon.type for daemon in host.daemons if daemon.data}
    return next((kind for kind in DaemonType if kind in present), DaemonType.OSD)


def _difference(listed: set[str], wanted: set[str]) -> str:
    lacking, foreign = ", ".join(sorted(wanted - listed)), ", ".join(sorted(listed - wanted))
    parts = (f"lacks the mons {lacking}" if lacking else "", foreign and f"lists {foreign} as mons")
    return " and ".join(part for part in parts if part)


def mon_addresses(mon_host: str) -> set[str]:
    """The bare IPs of a `mon_host` line; its order says nothing (ROOK-COMPAT section 1)."""
    found = re.findall(r"v[12]:(?:\[[^\]]+\]|[^:,\[\]]+):\d+", mon_host)
    plain = [] if found else [part for part in re.split(r"[,\s]+", mon_host) if part]
    return {addresses.host_of(part) for part in found} | {part.strip("[]") for part in plain}
