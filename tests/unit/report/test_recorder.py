"""The recorder notes what passes by, and lets all of it pass."""

from datetime import UTC, datetime

from orchestrator.ansible.events import Progress
from orchestrator.model.facts import Facts
from orchestrator.model.plan import MgrStep, Plan
from orchestrator.reconcile import Result
from orchestrator.report.record import Ending, Record
from orchestrator.report.recorder import Recorder
from tests.fakes import facts as fakes
from tests.fakes import reports
from tests.fakes.clusters import cluster

NOW = datetime(2030, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
STEP = MgrStep(
    changes=(reports.change("mgr.a"),),
    targets=(),
    modules=(),
    fsid=fakes.OURS,
    mons=fakes.MONS,
    admin_host="store-a",
)


class Watcher:
    def __init__(self) -> None:
        self.seen: list[object] = []

    def on_step(self, plan, step):
        self.seen.append((plan, step))

    def on_progress(self, progress):
        self.seen.append(progress)


def progress(run: str, playbook: str = "facts.yml") -> Progress:
    return Progress(run=run, playbook=playbook, kind="task")


def recorder() -> tuple[Recorder, Watcher, list[Record]]:
    watcher, written = Watcher(), []
    return Recorder(watcher, written.append, lambda: NOW, lambda: None), watcher, written


def test_each_run_is_noted_once_with_the_changes_of_its_step():
    one, watcher, written = recorder()
    one.begin(cluster())
    one.on_progress(progress("1-facts"))
    one.on_progress(progress("1-facts"))
    one.on_step(Plan(steps=(STEP,)), STEP)
    one.on_progress(progress("2-mgr", "mgr.yml"))
    one.on_progress(progress("3-facts"))

    runs = [(run.run, run.playbook, run.changes) for run in written[-1].runs]
    assert runs == [
        ("1-facts", "facts.yml", ()),
        ("2-mgr", "mgr.yml", STEP.changes),
        ("3-facts", "facts.yml", ()),
    ]
    assert len(written) == 3
    assert len(watcher.seen) == 5
    assert written[-1].started == "2030-01-02T03:04:05.678+00:00"


def test_a_killed_run_leaves_a_record_without_an_end():
    one, _, written = recorder()
    one.begin(cluster())
    one.on_progress(progress("1-facts"))

    assert (written[-1].ending, written[-1].ended) == (Ending.OPEN, "")


def test_the_end_is_noted_and_the_result_given_on():
    one, _, written = recorder()
    one.begin(cluster())
    result = Result(plan=Plan())

    assert one.end(result) is result
    assert written[-1].ending is Ending.CONVERGED


def test_looks_that_are_no_runs_are_not_noted():
    one, watcher, written = recorder()
    one.on_progress(progress("1-facts"))
    one.begin(cluster())
    one.end(Result(plan=Plan()))
    one.on_progress(progress("2-facts"))

    assert len(written) == 1
    assert written[0].runs == ()
    assert len(watcher.seen) == 2


def test_a_killed_run_leaves_the_hosts_of_its_last_look():
    written = []
    facts = Facts(hosts={"store-a": fakes.host("store-a")})
    one = Recorder(Watcher(), written.append, lambda: NOW, lambda: facts)
    one.begin(cluster())
    one.on_progress(progress("2-mon", "mon.yml"))

    assert [host.name for host in written[-1].hosts] == ["store-a"]
