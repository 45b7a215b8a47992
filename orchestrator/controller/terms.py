"""Terms of leadership: wait for the Lease, manage while it is held, hand it over at the end."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from orchestrator.controller.lease import Lease
from orchestrator.controller.logs import log
from orchestrator.controller.manager import Manager
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.signals import Signals

LOOK_SECONDS = 0.5


@dataclass(slots=True, kw_only=True)
class Terms:
    """The life of an operator process."""

    lease: Lease
    make: Callable[[], Manager]
    signals: Signals
    metrics: Metrics
    manager: Manager | None = None
    _ended: threading.Event = field(default_factory=threading.Event)
    _renewing: threading.Thread | None = None

    def serve(self) -> None:
        """Until SIGTERM. The Lease is renewed beside, so that no slow step can lose it."""
        renewing = threading.Thread(target=self._renew, name="lease", daemon=True)
        renewing.start()
        self._renewing = renewing
        try:
            while not self.signals.ending:
                if self.lease.held:
                    self._term()
                else:
                    self.signals.wait(LOOK_SECONDS)
                    self.signals.reload_asked()
        finally:
            self._ended.set()
            renewing.join(self.lease.times.retry + 1)
            self.lease.release()
            log.info("the operator has ended")

    def trouble(self) -> str:
        """For /healthz."""
        renewing, manager = self._renewing, self.manager
        if renewing and not renewing.is_alive() and not self._ended.is_set():
            return "the Lease is neither asked for nor renewed any more"
        return manager.trouble() if manager else ""

    def behind(self) -> str:
        """For /readyz: a replica that waits for the Lease is ready to take over."""
        manager = self.manager
        return manager.behind() if manager else ""

    def _renew(self) -> None:
        while not self._ended.is_set():
            self.metrics.leader.set(self.lease.confirm())
            self._ended.wait(self.lease.times.retry)

    def _term(self) -> None:
        log.info("the Lease is held", identity=self.lease.identity)
        self.manager = self.make()
        self.manager.start()
        reason = self._until()
        log.info("the manager stops", why=reason)
        clean = self.manager.stop(reason)
        self.manager = None
        if not clean:
            log.error("some runs have not ended in time")

    def _until(self) -> str:
        while True:
            self.signals.wait(LOOK_SECONDS)
            if self.signals.ending:
                return "the operator ends"
            if not self.lease.held:
                return "the Lease was lost"
            if self.signals.reload_asked():
                return "SIGHUP: the manager is rebuilt"
