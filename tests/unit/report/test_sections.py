"""Rows and numbers of the page."""

from datetime import timedelta

from orchestrator.report import sections
from orchestrator.report.record import PlaybookRun
from orchestrator.report.tasks import TaskResult, TaskState
from tests.fakes import reports

RUN = PlaybookRun(run=reports.ident("mon.yml", 4), playbook="mon.yml")
BEGIN = reports.BEGIN.timestamp()


def task(name, host="store-1", after=5.0, seconds=1.0, state=TaskState.OK):
    return TaskResult(
        run=RUN.run,
        role="mon",
        task=name,
        host=host,
        start=BEGIN + after,
        seconds=seconds,
        state=state,
    )


def test_a_run_goes_from_its_name_to_its_last_task():
    (span,) = sections.spans(reports.record(runs=(RUN,)), {RUN.run: [task("x"), task("y")]})

    assert (span.name, span.start - BEGIN, span.end - BEGIN) == ("mon", 4.0, 6.0)


def test_a_run_of_another_name_goes_from_its_first_task():
    run = PlaybookRun(run="7", playbook="mon.yml")
    (span,) = sections.spans(reports.record(runs=(run,)), {"7": [task("x")]})

    assert (span.start - BEGIN, span.end - BEGIN) == (5.0, 6.0)


def test_a_run_without_artifacts_is_shown_as_such():
    record = reports.record(runs=(RUN,))
    spans = sections.spans(record, {})
    (row,) = sections.run_rows(record, {}, spans)

    assert (row.known, row.seconds, row.tasks) == (False, 0.0, ())


def test_tasks_are_added_up_over_their_hosts():
    results = [
        task("Make it", "store-1", seconds=1.0, state=TaskState.CHANGED),
        task("Make it", "store-2", seconds=3.0),
        task("Make it", "store-3", seconds=2.0, state=TaskState.FAILED),
        task("Look", after=9.0),
    ]
    first, second = sections.task_rows(results, "mon")

    assert (first.task, first.seconds, first.slowest) == ("Make it", 3.0, "store-2")
    assert (first.hosts, first.changed, first.failed) == (3, 1, 1)
    assert second.task == "Look"


def test_the_slowest_come_first_and_are_few():
    record = reports.record(runs=(RUN,))
    tasks = {RUN.run: [task(f"Task {n}", seconds=float(n)) for n in range(40)]}
    rows = sections.run_rows(record, tasks, sections.spans(record, tasks))

    found = [one.task for one in sections.slowest(rows)]
    assert found == [f"Task {n}" for n in range(39, 39 - sections.SLOWEST, -1)]


def test_the_time_of_a_run_without_an_end_is_up_to_its_last_task():
    ended = (reports.BEGIN + timedelta(seconds=30)).isoformat()
    spans = sections.spans(reports.record(runs=(RUN,)), {RUN.run: [task("x")]})

    assert sections.took(reports.record(ended=ended), spans) == 30.0
    assert sections.took(reports.record(), spans) == 6.0
    assert sections.took(reports.record(), []) == 0.0


def test_disks_stand_with_their_host_also_where_the_run_saw_none():
    record = reports.full(["store-1", "store-2"])
    cards = sections.host_cards(record, reports.status(["store-2", "store-9"]))

    assert [(card.seen.name, len(card.disks)) for card in cards] == [
        ("store-1", 0),
        ("store-2", 1),
        ("store-9", 1),
    ]


def test_results_stand_in_the_order_of_the_inventory():
    record = reports.full(["store-2", "store-10"])
    tasks = {"1": [task("x", "store-10"), task("x", "other"), task("x", "store-2")]}

    found = [one.host for one in sections.by_host_order(record, tasks)]
    assert found == ["store-2", "store-10", "other"]


def test_hosts_that_changed_stand_in_the_order_of_the_inventory():
    record = reports.full(["store-2", "store-10"])
    first = record.runs[0].run
    results = [task("x", name, state=TaskState.CHANGED) for name in ("store-10", "store-2")]
    found = {first: results}

    (row, *_) = sections.run_rows(record, found, sections.spans(record, found))
    assert row.changed_on == "store-2, store-10"
