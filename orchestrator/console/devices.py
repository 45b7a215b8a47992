"""Every device of every host with its state and reason, for people and for scripts."""

from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from orchestrator.console import links
from orchestrator.model.decisions import State
from orchestrator.model.device_report import Listing, entry
from orchestrator.model.plan import Reason

STYLES = {State.OSD: "green", State.SELECTED: "cyan", State.SKIPPED: ""}
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def devices_table(listing: Listing) -> RenderableType:
    """A row for each device, then what has no device to show, and where codes are explained."""
    table = Table(box=box.SIMPLE, header_style="bold", pad_edge=False)
    for name in ("HOST", "DEVICE", "SIZE", "MODEL", "STATE", "CODE", "REASON"):
        table.add_column(name, overflow="fold")
    for one in listing.devices:
        cells = (one.host, one.disk.stable_path, size(one.disk.size), one.disk.model)
        state = Text(one.standing, style=STYLES[one.state])
        table.add_row(*map(Text, cells), state, one.code, Text(one.reason))
    others = (*listing.aside, *listing.unmatched)
    found = [f"help: {links.help_link('devices')}", *links.help_lines(others)]
    lines = [Text(_line(reason)) for reason in others]
    return Group(table, *lines, *(Text(line, overflow="fold") for line in found))


def devices_document(listing: Listing) -> dict[str, Any]:
    """`{devices, hosts, unmatched}`: sizes in bytes; `hosts` could not be looked at.

    `unmatched` is what the manifest asks for and no host has; its `host` is null where it may be
    any.
    """
    return {
        "devices": [entry(one) for one in listing.devices],
        "hosts": [_reason(one) for one in listing.aside],
        "unmatched": [_reason(one) for one in listing.unmatched],
    }


def _line(reason: Reason) -> str:
    """`host: Code: message`, as the rows begin."""
    return ": ".join(part for part in (reason.host, reason.code, reason.message) if part)


def _reason(reason: Reason) -> dict[str, Any]:
    return {"host": reason.host, "code": reason.code, "message": reason.message}


def size(number: int) -> str:
    """`3.6 TiB`."""
    value, unit = float(number), 0
    while value >= 1024 and unit < len(UNITS) - 1:  # noqa: PLR2004
        value, unit = value / 1024, unit + 1
    return f"{value:.1f} {UNITS[unit]}" if unit else f"{number} B"
