"""From keys to passes: a thread for each pass, so that no cluster waits for another.

Here alone a bug is caught: it is logged with its traceback and backs off like a failure, and the
other clusters never notice.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from orchestrator.controller.charge import Charge
from orchestrator.controller.logs import log
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.queue import Backoff, WorkQueue
from orchestrator.controller.tokens import CanceledError, Token
from orchestrator.controller.verdict import Ending, Verdict
from orchestrator.model.names import ClusterKey
from orchestrator.stores import StoreError

STOP_SECONDS = 20.0
"""How long the end of cancelled runs is waited for: less than Kubernetes' grace of 30 s."""

BUSY_SECONDS = 2.0

Pass = Callable[[Charge, Token], Verdict]


@dataclass(slots=True)
class Turns:
    """One pass at a time for each cluster in this process, even while an old manager still ends."""

    _at_work: set[ClusterKey] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def taken(self, key: ClusterKey) -> bool:
        """Whether the turn was free and is taken now."""
        with self._lock:
            free = key not in self._at_work
            self._at_work.add(key)
            return free

    def over(self, key: ClusterKey) -> None:
        with self._lock:
            self._at_work.discard(key)


@dataclass(slots=True, kw_only=True)
class Worker:
    """Takes keys off the queue until it is closed."""

    queue: WorkQueue
    charge_of: Callable[[ClusterKey], Charge | None]
    make_pass: Pass
    metrics: Metrics
    turns: Turns = field(default_factory=Turns)
    backoff: Backoff = field(default_factory=Backoff)
    _dispatcher: threading.Thread | None = None
    _passes: set[threading.Thread] = field(default_factory=set)

    def start(self) -> None:
        self._dispatcher = threading.Thread(target=self._dispatch, name="dispatcher", daemon=True)
        self._dispatcher.start()

    @property
    def alive(self) -> bool:
        return self._dispatcher is not None and self._dispatcher.is_alive()

    def stop(self, seconds: float = STOP_SECONDS) -> bool:
        """Take no further key, and wait for the passes at work; whether all have ended."""
        self.queue.close()
        end = time.monotonic() + seconds
        threads = [one for one in (self._dispatcher, *tuple(self._passes)) if one]
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _dispatch(self) -> None:
        while (key := self.queue.get()) is not None:
            thread = threading.Thread(target=self._work, args=(key,), name=str(key), daemon=True)
            self._passes.add(thread)
            thread.start()

    def _work(self, key: ClusterKey) -> None:
        verdict = Verdict(ending=Ending.ERROR, backoff=True)
        try:
            with structlog.contextvars.bound_contextvars(cluster=str(key)):
                verdict = self._timed(key)
        finally:
            self._passes.discard(threading.current_thread())
            self.queue.done(key, self._pause(key, verdict), hold=verdict.backoff)

    def _pause(self, key: ClusterKey, verdict: Verdict) -> float | None:
        if verdict.backoff:
            return self.backoff.failed(key)
        if verdict.ending is not Ending.CANCELED:
            self.backoff.succeeded(key)
        return verdict.again

    def _timed(self, key: ClusterKey) -> Verdict:
        began = time.monotonic()
        with self.metrics.at_work.track_inprogress():
            verdict = self._judged(key)
        seconds = time.monotonic() - began
        self.metrics.passes.labels(key.namespace, key.name, verdict.ending.value).inc()
        self.metrics.pass_seconds.labels(key.namespace, key.name).observe(seconds)
        if verdict.ending is not Ending.GONE and self.charge_of(key):
            current = verdict.ending is Ending.CONVERGED
            self.metrics.ready.labels(key.namespace, key.name).set(current)
        log.info(
            "pass ended", result=verdict.ending.value, seconds=round(seconds, 3), why=verdict.text
        )
        return verdict

    def _judged(self, key: ClusterKey) -> Verdict:
        charge = self.charge_of(key)
        if charge is None:
            return Verdict(ending=Ending.GONE)
        if not self.turns.taken(key):
            return Verdict(ending=Ending.BLOCKED, again=BUSY_SECONDS, text="a pass still ends")
        try:
            return self.make_pass(charge, charge.rights.begin())
        except CanceledError as error:
            return Verdict(ending=Ending.CANCELED, text=str(error))
        except StoreError as error:
            return Verdict(ending=Ending.ERROR, backoff=True, text=str(error))
        except Exception as error:  # noqa: BLE001 - logged, whatever it is
            log.exception("the pass broke")
            return Verdict(ending=Ending.ERROR, backoff=True, text=type(error).__name__)
        finally:
            self.turns.over(key)
