"""Sees what a watcher sees, hands it on, and notes what the report will need.

The record is written when a playbook begins and when the run ends, so a run that was killed leaves
one without an end.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from orchestrator import __version__
from orchestrator.ansible.events import Progress
from orchestrator.console.progress import Watcher
from orchestrator.model.facts import Facts
from orchestrator.model.plan import Change, Plan, Step
from orchestrator.model.spec import CephCluster
from orchestrator.reconcile import Result
from orchestrator.report.record import PlaybookRun, Record, seen_hosts, with_end


class Recorder:
    """Notes nothing before `begin`: looks by `plan` and `status` are no runs.

    `known` gives what the last look saw, as long as that is known.
    """

    def __init__(
        self,
        watcher: Watcher,
        write: Callable[[Record], None],
        now: Callable[[], datetime],
        known: Callable[[], Facts | None],
    ) -> None:
        self._watcher = watcher
        self._write = write
        self._known = known
        self._now = now
        self._record: Record | None = None
        self._planned: tuple[Change, ...] = ()

    def begin(self, cluster: CephCluster) -> None:
        """A run begins; the record of the one before is given up with its first playbook."""
        self._planned = ()
        self._record = Record(
            namespace=cluster.key.namespace,
            name=cluster.key.name,
            generation=cluster.generation,
            version=__version__,
            started=self._stamp(),
        )

    def on_step(self, plan: Plan, step: Step) -> None:
        self._planned = step.changes
        self._watcher.on_step(plan, step)

    def on_progress(self, progress: Progress) -> None:
        record = self._record
        if record and not (record.runs and record.runs[-1].run == progress.run):
            self._note_run(record, progress)
        self._watcher.on_progress(progress)

    def _note_run(self, record: Record, progress: Progress) -> None:
        run = PlaybookRun(run=progress.run, playbook=progress.playbook, changes=self._planned)
        self._planned = ()
        facts = self._known()
        hosts = seen_hosts(facts) if facts else record.hosts
        self._keep(replace(record, runs=(*record.runs, run), hosts=hosts))

    def end(self, result: Result) -> Result:
        """The run is over; gives its result on."""
        if self._record:
            self._keep(with_end(self._record, result, self._stamp()))
        self._record = None
        return result

    def _keep(self, record: Record) -> None:
        self._record = record
        self._write(record)

    def _stamp(self) -> str:
        return self._now().isoformat(timespec="milliseconds")
