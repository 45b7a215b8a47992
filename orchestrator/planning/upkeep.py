"""Why a daemon that exists needs work: one rule for mons, mgrs and OSDs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.model import endpoints
from orchestrator.model.facts import Daemon, DaemonType, Host
from orchestrator.model.names import Fsid
from orchestrator.model.plan import Action, Change, PlacedMon
from orchestrator.planning import addresses

CONF = "/etc/ceph/ceph.conf"
Listed = tuple[str, str, int]
"""Messenger, bare IP and port."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """A change for an existing daemon.

    `restarts` when a running daemon may be stopped for it; `conf_only` when nothing but the host's
    ceph.conf is behind, which can wait for the mons that are still to come.
    """

    change: Change
    restarts: bool
    conf_only: bool


def upkeep(  # noqa: PLR0913 - all that a daemon is compared with
    host: Host,
    daemon: Daemon,
    *,
    record: str,
    fsid: Fsid | None,
    mons: Sequence[PlacedMon],
    location: str = "",
) -> Upkeep | None:
    """The first thing wrong with `daemon`; setting it up again mends all of them at once.

    `location` is what ceph.conf must say of where the host's OSDs are; empty does not look.
    """
    own = None if daemon.left_alone else _unit(daemon) or _files(daemon, record)
    found = own or _conf(host, daemon, fsid, mons) or _location(host, location)
    if found is None:
        return None
    action, reason = found
    subject = daemon.name if own else CONF
    return Upkeep(
        change=Change(action=action, subject=subject, host=host.name, reason=reason),
        restarts=own is not None and daemon.running and _differs(daemon, record),
        conf_only=own is None,
    )


def _differs(daemon: Daemon, record: str) -> bool:
    return bool(daemon.drifted) or daemon.record != record


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
    difference = _difference(listed_mons(host.conf.mon_host), _listable(mons))
    return (Action.REPAIR, f"it {difference}") if difference else None


def _location(host: Host, wanted: str) -> tuple[Action, str] | None:
    """The line that only the step of the OSDs writes, whoever has written the rest."""
    found = host.conf.crush_location
    if not wanted or found is None or found == wanted:
        return None
    return Action.REPAIR, f"its crush_location is {found or 'missing'}, and should be {wanted}"


def _first_kind(host: Host) -> DaemonType:
    """The kind whose step writes a host's ceph.conf, so that it is planned once."""
    present = {daemon.type for daemon in host.daemons if daemon.data}
    return next((kind for kind in DaemonType if kind in present), DaemonType.OSD)


def _difference(listed: set[Listed], wanted: set[Listed]) -> str:
    had, has = {address for _, address, _ in listed}, {address for _, address, _ in wanted}
    lacking, foreign = ", ".join(sorted(has - had)), ", ".join(sorted(had - has))
    if not lacking and not foreign and listed != wanted:
        ports = sorted({address for _, address, _ in listed ^ wanted})
        return f"has other ports for the mons {', '.join(ports)}"
    parts = (f"lacks the mons {lacking}" if lacking else "", foreign and f"lists {foreign} as mons")
    return " and ".join(part for part in parts if part)


def _listable(mons: Sequence[PlacedMon]) -> set[Listed]:
    return {part for mon in mons for part in endpoints.parts(mon.addrs) if mon.address}


def listed_mons(mon_host: str) -> set[Listed]:
    """What a `mon_host` line lists; its order says nothing (ROOK-COMPAT section 1).

    Ceph tries both messengers at an address without a port.
    """
    found: set[Listed] = set()
    for word in re.split(r"[,\s]+", mon_host):
        read = endpoints.parts(word)
        bare = word.strip("[]")
        if read and not addresses.family_of(bare):
            found |= {(_messenger(kind, port), host, port) for kind, host, port in read}
        elif word:
            found |= set(endpoints.parts(endpoints.vector(bare, endpoints.BOTH)))
    return found


def _messenger(kind: str, port: int) -> str:
    return kind if kind != "any" else ("v2" if port == endpoints.MSGR2_PORT else "v1")
