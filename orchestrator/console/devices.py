"""Every device of every host with its state and reason, for people and for scripts."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from orchestrator.console import links
from orchestrator.model.decisions import Decision, State
from orchestrator.model.device_report import entry
from orchestrator.model.plan import Reason

STYLES = {State.OSD: "green", State.SELECTED: "cyan", State.SKIPPED: ""}
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def devices_table(decisions: Sequence[Decision], aside: Sequence[Reason]) -> RenderableType:
    """A row for each device, hosts of which nothing is known, and where codes are explained."""
    table = Table(box=box.SIMPLE, header_style="bold", pad_edge=False)
    for name in ("HOST", "DEVICE", "SIZE", "MODEL", "STATE", "CODE", "REASON"):
        table.add_column(name, overflow="fold")
    for one in decisions:
        cells = (one.host, one.disk.stable_path, size(one.disk.size), one.disk.model)
        state = Text(one.standing, style=STYLES[one.state])
        table.add_row(*map(Text, cells), state, one.code, Text(one.reason))
    hosts = [Text(f"{reason.host}: {reason.code}: {reason.message}") for reason in aside]
    found = [f"help: {links.help_link('devices')}", *links.help_lines(aside)]
    return Group(table, *hosts, *(Text(line, overflow="fold") for line in found))


def devices_document(decisions: Sequence[Decision], aside: Sequence[Reason]) -> dict[str, Any]:
    """`{devices, hosts}`: sizes in bytes; `hosts` are those that could not be looked at."""
    return {
        "devices": [entry(one) for one in decisions],
        "hosts": [{"host": one.host, "code": one.code, "message": one.message} for one in aside],
    }


def size(number: int) -> str:
    """`3.6 TiB`."""
    value, unit = float(number), 0
    while value >= 1024 and unit < len(UNITS) - 1:  # noqa: PLR2004
        value, unit = value / 1024, unit + 1
    return f"{value:.1f} {UNITS[unit]}" if unit else f"{number} B"
