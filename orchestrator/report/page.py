"""The page itself: one HTML file that needs nothing else, made from a template."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2

from orchestrator import __version__
from orchestrator.console.devices import size
from orchestrator.console.explanations import explanations
from orchestrator.model import wording
from orchestrator.model.plan import Reason
from orchestrator.report import sections
from orchestrator.report.cleaning import clean
from orchestrator.report.record import Ending, Record
from orchestrator.report.timeline import duration, timeline

HERE = Path(__file__).parent

SAYINGS = {
    Ending.OPEN: "was killed: the next run goes on from here",
    Ending.CONVERGED: "converged: nothing is left to do",
    Ending.BLOCKED: "blocked: something in the manifest cannot be done now",
    Ending.FAILED: "failed",
    Ending.INTERRUPTED: "interrupted: the next run goes on from here",
}
GOING_ON = "still goes on"
MARKS = {"ok": "good", "converged": "good", "blocked": "warn", "open": "warn", "failed": "bad"}
HEALTHS = {"HEALTH_OK": "good", "HEALTH_WARN": "warn", "HEALTH_ERR": "bad"}


def page(
    record: Record,
    tasks: sections.Tasks,
    status: Mapping[str, Any],
    made: datetime,
    *,
    running: bool = False,
) -> str:
    """The report of a run. `tasks` are the results by run; `made` is the time of making it.

    `running` tells whether an orchestrator is at work on the cluster now.
    """
    spans = sections.spans(record, tasks)
    rows = sections.run_rows(record, tasks, spans)
    results = sections.by_host_order(record, tasks)
    cards, reasons = sections.host_cards(record, status), _reasons(record)
    return _template().render(
        record=record,
        saying=GOING_ON if running and record.ending is Ending.OPEN else SAYINGS[record.ending],
        status=status,
        ceph=status.get("ceph") or {},
        storage=status.get("storage") or {},
        runs=rows,
        slowest=sections.slowest(rows),
        timeline=timeline(spans, results),
        hosts=cards,
        reasons=reasons,
        meanings=_meanings(reasons, cards),
        took=sections.took(record, spans),
        results=len(results),
        changed=sum(len(run.changes) for run in record.runs),
        made=made,
        version=__version__,
    )


def _reasons(record: Record) -> tuple[tuple[str, Reason], ...]:
    return (
        *(("blocked", one) for one in record.blocked),
        *(("note", one) for one in record.notices),
    )


def _meanings(
    reasons: Iterable[tuple[str, Reason]], cards: Iterable[sections.HostCard]
) -> dict[str, tuple[str, ...]]:
    """What the documentation says of each code on the page: the page may be read anywhere."""
    told = {one.code for _, one in reasons}
    told |= {str(disk.get("code", "")) for card in cards for disk in card.disks}
    return {code: explanations()[code] for code in sorted(told) if code in explanations()}


def _template() -> jinja2.Template:
    """Everything that is put into the page is escaped, and cleaned before."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        finalize=clean,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        duration=duration, size=size, instant=_instant, counted=wording.counted
    )
    environment.globals.update(mark=_mark)
    return environment.get_template("page.html.j2")


def _instant(stamp: str) -> str:
    """`2026-11-30 06:15:08 UTC` of an ISO time; any other text as it is."""
    try:
        found = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    return f"{found:%Y-%m-%d %H:%M:%S} UTC"


def _mark(word: str) -> str:
    """The class of a word's colour; the word itself always stands beside it."""
    return HEALTHS.get(word) or MARKS.get(word, "plain")
