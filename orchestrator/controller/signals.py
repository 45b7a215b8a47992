"""Signals, noted by the main thread and acted on in order: SIGHUP reloads, SIGTERM ends."""

import signal
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from orchestrator.signals import handled


@dataclass(slots=True)
class Signals:
    """What was asked for since the last look."""

    woken: threading.Event = field(default_factory=threading.Event)
    ending: bool = False
    reloading: bool = False

    def noticed(self) -> AbstractContextManager[None]:
        """Take the signals for the length of the block; the handlers before are put back."""
        return handled((signal.SIGTERM, signal.SIGINT, signal.SIGHUP), self._note)

    def _note(self, number: int) -> None:
        if number == signal.SIGHUP:
            self.reloading = True
        else:
            self.ending = True
        self.woken.set()

    def wait(self, seconds: float) -> None:
        """Wait so long, or until a signal comes."""
        self.woken.wait(seconds)

    def reload_asked(self) -> bool:
        """Whether SIGHUP came since this was asked last."""
        asked, self.reloading = self.reloading, False
        if not self.ending:
            self.woken.clear()
        return asked
