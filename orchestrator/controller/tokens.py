"""The right of one pass to go on. Each cluster has its own: cancelling one stops no other."""

import threading
from dataclasses import dataclass, field


class CanceledError(Exception):
    """The pass was asked to stop; what it has done stays, and the next one goes on from there."""


@dataclass(slots=True)
class Token:
    """Held by a pass, cancelled from outside; it says why."""

    _event: threading.Event = field(default_factory=threading.Event)
    reason: str = ""

    @property
    def canceled(self) -> bool:
        return self._event.is_set()

    def cancel(self, reason: str) -> None:
        """The first reason counts."""
        if not self._event.is_set():
            self.reason = reason
            self._event.set()

    def check(self) -> None:
        """Raises CanceledError once the token is cancelled: asked before each phase."""
        if self._event.is_set():
            raise CanceledError(self.reason)

    def sleep(self, seconds: float) -> None:
        """Sleep that a cancel ends."""
        self._event.wait(seconds)


@dataclass(slots=True)
class Rights:
    """The token of the pass at work, or of the last one."""

    token: Token = field(default_factory=Token)
    ended: str = ""

    def begin(self) -> Token:
        """The right of a new pass; there is none once all have ended."""
        self.token = Token()
        if self.ended:
            self.token.cancel(self.ended)
        return self.token

    def end(self, reason: str) -> None:
        """Neither this pass nor any later one may go on."""
        self.ended = reason
        self.token.cancel(reason)

    def check(self) -> None:
        self.token.check()

    def canceled(self) -> bool:
        return self.token.canceled

    def sleep(self, seconds: float) -> None:
        self.token.sleep(seconds)
