"""Ceph's health beside the passes: a thread for each cluster that no pass and no cancel stops.

It writes `status.ceph` and wakes a pass when mons or OSDs are missing; what is done about them is
the plan's business (CASES C43, C47).
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import structlog

from orchestrator import planning, status
from orchestrator.ansible import facts as answers
from orchestrator.controller.charge import Charge
from orchestrator.controller.intervals import Intervals
from orchestrator.controller.logs import log
from orchestrator.controller.metrics import Metrics
from orchestrator.model.facts import Cluster
from orchestrator.model.names import ClusterKey
from orchestrator.stores import StoreError

Raw = Mapping[str, Any]
SLACK = 0.25
"""A check that is due soon is made with another one that is due now: each question costs CPU."""

UNREADABLE = "the mons' answer is not understood"


class DataState(NamedTuple):
    """What the OSDs say of the data: a pass may do something else when any of it changes."""

    down: frozenset[int] = frozenset()
    whole: bool = True
    spare: frozenset[int] = frozenset()


@dataclass(slots=True, kw_only=True)
class Monitor:
    """The checks of one cluster, until its charge is stopped."""

    charge: Charge
    intervals: Callable[[], Intervals]
    wake: Callable[[ClusterKey], None]
    unwatched: Callable[[], bool]
    metrics: Metrics
    clock: Callable[[], float] = time.monotonic
    _data: DataState = field(default_factory=DataState)
    _thread: threading.Thread | None = None
    _checked: dict[str, float] = field(default_factory=dict)

    def start(self) -> None:
        name = f"health of {self.charge.key}"
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _loop(self) -> None:
        with structlog.contextvars.bound_contextvars(cluster=str(self.charge.key)):
            while not self.charge.stopped.is_set():
                try:
                    pause = self.check()
                except StoreError as error:
                    log.warning("the health check could not be made", why=str(error))
                    pause = 5.0
                except Exception:  # noqa: BLE001 - logged; one odd answer ends no checks
                    log.exception("the health check broke")
                    pause = 30.0
                self.charge.stopped.wait(pause)

    def check(self) -> float:
        """Make the checks that are due; gives the seconds until the next one is."""
        wanted = self.intervals()
        periods = {"status": wanted.status, "mon": wanted.mon, "osd": wanted.osd}
        now = self.clock()
        left = {
            name: self._checked.get(name, -period) + period - now
            for name, period in periods.items()
            if period is not None
        }
        due = [name for name, seconds in left.items() if seconds <= SLACK * (periods[name] or 0)]
        if any(seconds <= 0 for seconds in left.values()):
            self._checked |= dict.fromkeys(due, now)
            self._ask(due)
        ends = [
            self._checked.get(name, now) + period
            for name, period in periods.items()
            if period is not None
        ]
        return max(0.1, min(ends) - self.clock()) if ends else 60.0

    def _ask(self, due: list[str]) -> None:
        """One question to Ceph answers for all that is due."""
        cluster, why = None, ""
        try:
            raw = self.charge.health()
            if raw is None:
                return
            cluster = answers.parse_cluster(raw)
            why = "" if cluster else UNREADABLE
        except (StoreError, OSError, ValueError) as error:
            why = str(error) or type(error).__name__
        if self.charge.stopped.is_set():
            return
        if "status" in due:
            self._write(cluster, why)
        if "mon" in due and self._mons_missing(cluster) and not self.unwatched():
            log.info("mons are out of quorum: a pass is made")
            self.wake(self.charge.key)
        if "osd" in due and cluster:
            self._compare(cluster)

    def _write(self, cluster: Cluster | None, why: str) -> None:
        key, now = self.charge.key, self.charge.world.now()
        self.charge.statuses.change(key, lambda before: status.checked(cluster, before, now, why))
        found = self.charge.statuses.get(key).get("ceph") or {}
        self.metrics.healthy(key, str(found.get("health", "")))

    def _mons_missing(self, cluster: Cluster | None) -> bool:
        return cluster is None or len(cluster.quorum_names) < len(cluster.mons)

    def _compare(self, cluster: Cluster) -> None:
        """Wake a pass when OSDs went down, came back or became spare, or data got whole or not."""
        found = DataState(
            down=frozenset(int(osd.id) for osd in cluster.osds if not osd.up),
            whole=planning.is_whole(cluster),
            spare=frozenset(map(int, cluster.safe_to_destroy or ())),
        )
        if found != self._data:
            self._data = found
            down = sorted(found.down)
            log.info("the state of the OSDs is another now", down=down, whole=found.whole)
            self.wake(self.charge.key)
