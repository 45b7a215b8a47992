"""Runs of one cluster, one after the other: each reads its files anew, and none outlives them."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.ansible.inventory import InventoryError
from orchestrator.app import Workstation
from orchestrator.model.manifest import SpecError
from orchestrator.model.names import ClusterKey
from orchestrator.model.spec import CephCluster
from orchestrator.reconcile import Result
from orchestrator.stores import StoreError
from orchestrator.watching.pace import Pace
from orchestrator.watching.sight import fingerprint
from orchestrator.watching.signals import Signals
from orchestrator.watching.systemd import Notifier

LOOK_SECONDS = 1.0
"""Between two looks at the files. A change counts once two looks in a row saw the same."""


class UnusableError(Exception):
    """The manifest cannot be acted on as it is now; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """How a run ended: its last words, and whether nothing is left to do."""

    text: str
    converged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the loop needs of the command that it is part of."""

    read: Callable[[], CephCluster]
    station: Callable[[CephCluster], Workstation]
    run: Callable[[Workstation], Result]
    conclude: Callable[[Workstation, Result], Conclusion]
    tell: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """The run at work, and what it was started for."""

    station: Workstation
    cluster: CephCluster


@dataclass(slots=True, kw_only=True)
class Watch:
    """Keeps one cluster as the files say, until a signal ends it."""

    manifest: Path
    inventories: tuple[Path, ...]
    pace: Pace
    ways: Ways
    notifier: Notifier
    signals: Signals = field(default_factory=Signals)
    _key: ClusterKey | None = None
    _failures: int = 0
    _stuck: bool = False
    _seen: tuple[str, str] = ("", "")
    _glimpse: tuple[str, str] = ("", "")
    _changed: bool = False
    _complaint: str = ""
    _work: _Work | None = None

    def until_ended(self) -> int:
        """Run again and again; gives the number of the signal that ended it.

        Raises UnusableError when there is nothing to begin with.
        """
        self._key = self.ways.read().key
        with self.signals.noticed():
            self.notifier.ready()
            while not self.signals.ended:
                if self.signals.again or self._changed:
                    self._complaint = ""  # whoever did that is to know how it is now
                self.signals.again = self._changed = False
                self._once()
                self._rest()
            self.notifier.stopping()
        return self.signals.ended

    def _once(self) -> None:
        """One run, or the reason why there is none."""
        self._seen = self._glimpse = self._look()
        try:
            cluster = self._wanted()
            station = self.ways.station(cluster)
            with self._looking(_Work(station=station, cluster=cluster)):
                result = self.ways.run(station)
        except UnusableError as error:
            self._stuck = True
            self._complain(f"{error}; waiting for a change")
        except (InventoryError, SpecError, StoreError) as error:
            self._failures += 1
            self._complain(f"Error: {error}")
        else:
            self._complaint = ""
            self._conclude(station, result)

    def _complain(self, text: str) -> None:
        """Why there is no run: once, however often it is tried again."""
        if text != self._complaint:
            self._say(text)
        self._complaint = text

    def _wanted(self) -> CephCluster:
        self._stuck = False
        cluster = self.ways.read()
        if cluster.key != self._key:
            raise UnusableError(
                f"Error: {self.manifest} is about {cluster.key} now, and this watches {self._key}"
            )
        return cluster

    def _conclude(self, station: Workstation, result: Result) -> None:
        self.signals.ended = self.signals.ended or station.interruption.number
        if result.outcome and result.outcome.canceled and not self.signals.ended:
            return  # it was told when it was cut off
        end = self.ways.conclude(station, result)
        self._failures = 0 if end.converged else self._failures + 1
        self._say(end.text)

    def _rest(self) -> None:
        """Until the next run is due, asked for, or a file changed."""
        due = self.ways.clock() + self.pace.delay(self._failures, self.ways.chance())
        while not (self.signals.ended or self.signals.again or self._changed):
            if self.ways.clock() >= due and not self._stuck:
                return
            self._tick()
            self.ways.pause(LOOK_SECONDS)

    @contextmanager
    def _looking(self, work: _Work) -> Iterator[None]:
        """Look at the files beside a run, which takes the main thread for minutes."""
        over = threading.Event()

        def look() -> None:
            while not over.wait(LOOK_SECONDS):
                self._tick()

        self._work = work
        thread = threading.Thread(target=look, name="watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            self._work = None

    def _tick(self) -> None:
        """One look: what changed for good since the last run began, and whether that ends it."""
        self.notifier.alive()
        now = self._look()
        settled, self._glimpse = now == self._glimpse, now
        if settled and now != self._seen:
            self._cut_off(inventory=now[1] != self._seen[1])
            self._seen = now
            self._changed = True
        if self._work and self.signals.ended:
            self._work.station.interruption.event.set()

    def _cut_off(self, *, inventory: bool) -> None:
        """End a run whose files say something else now. A file that says nothing ends none."""
        work = self._work
        if work is None:
            return
        try:
            wanted = self.ways.read()
        except UnusableError:
            return
        if inventory or wanted != work.cluster:
            what = "inventory" if inventory else "manifest"
            self._say(f"the {what} changed; the run for what it said before is cut off")
            work.station.interruption.event.set()

    def _look(self) -> tuple[str, str]:
        return fingerprint((self.manifest,)), fingerprint(self.inventories)

    def _say(self, text: str) -> None:
        self.notifier.status(text)
        self.ways.tell(text)
