"""Signals of a watch: SIGHUP looks again now, SIGTERM and SIGINT end it in order."""

import signal
from contextlib import AbstractContextManager
from dataclasses import dataclass

from orchestrator.signals import handled


@dataclass(slots=True)
class Signals:
    """What was asked for; plain values, which a handler may set at any point of the program."""

    ended: int = 0
    again: bool = False

    def noticed(self) -> AbstractContextManager[None]:
        """Take the signals for the length of the block; the handlers before are put back."""
        return handled((signal.SIGHUP, signal.SIGINT, signal.SIGTERM), self._note)

    def _note(self, number: int) -> None:
        if number == signal.SIGHUP:
            self.again = True
        else:
            self.ended = number
