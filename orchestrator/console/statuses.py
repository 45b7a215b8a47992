"""The status for people: kubectl's columns of a CephCluster, then what Ceph says."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from orchestrator.model.names import ClusterKey

HEALTH_STYLES = {"HEALTH_OK": "green", "HEALTH_WARN": "yellow", "HEALTH_ERR": "red"}


def status_table(key: ClusterKey, status: Mapping[str, Any]) -> RenderableType:
    """A table with one row for the cluster, and the details below it."""
    ceph = status.get("ceph") or {}
    table = Table(box=box.SIMPLE, header_style="bold", pad_edge=False)
    for name in ("NAMESPACE", "NAME", "PHASE", "MESSAGE", "HEALTH", "FSID"):
        table.add_column(name, overflow="fold")
    table.add_row(
        key.namespace,
        key.name,
        str(status.get("phase", "")),
        Text(str(status.get("message", ""))),
        _health(str(ceph.get("health", ""))),
        str(ceph.get("fsid", "")),
    )
    return Group(table, *_details(ceph, status))


def _health(health: str) -> Text:
    return Text(health, style=HEALTH_STYLES.get(health, ""))


def _details(ceph: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[RenderableType]:
    rows = [
        *_daemons(ceph),
        *_services(status),
        *_capacity(ceph),
        *_checks(ceph),
        *_conditions(status),
    ]
    if rows:
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="bold")
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(name, Text(value))
        yield table


def _daemons(ceph: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind, versions in (ceph.get("versions") or {}).items():
        if kind != "overall":
            parts = (f"{count} on {_short(version)}" for version, count in versions.items())
            yield kind, ", ".join(parts)


def _short(version: str) -> str:
    words = version.split()
    return words[2] if words[:2] == ["ceph", "version"] and len(words) > 2 else version  # noqa: PLR2004


def _services(status: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where the active mgr serves; the last it told while none is active."""
    mgr = status.get("mgr") or {}
    if mgr.get("active"):
        host = f" on {mgr['host']}" if mgr.get("host") else ""
        absent = "" if mgr.get("available") else ", and no mgr is active now"
        yield "active mgr", f"{mgr['active']}{host}{absent}"
    for name, url in (mgr.get("services") or {}).items():
        yield name, str(url)


def _capacity(ceph: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    capacity = ceph.get("capacity") or {}
    if capacity.get("bytesTotal"):
        used, total = (capacity.get(name, 0) / 1024**3 for name in ("bytesUsed", "bytesTotal"))
        yield "capacity", f"{used:.1f} of {total:.1f} GiB used"


def _checks(ceph: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for code, check in (ceph.get("details") or {}).items():
        yield code, str(check.get("message", ""))


def _conditions(status: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in status.get("conditions") or ():
        since = _since(str(one.get("lastTransitionTime", "")))
        yield f"{one.get('type')}={one.get('status')}", f"{one.get('message')}{since}"


def _since(stamp: str) -> str:
    try:
        then = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return ""
    seconds = int((datetime.now(UTC) - then).total_seconds())
    return f" (for {seconds // 60}m{seconds % 60:02}s)" if seconds < 7200 else f" (since {stamp})"  # noqa: PLR2004
