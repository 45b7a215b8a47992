"""When the next run comes if nothing changes (pure)."""

from dataclasses import dataclass

FIRST_RETRY_SECONDS = 10.0
JITTER = 0.1
"""Runs of many clusters drift apart by so much of their interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds between the end of a run and the next one."""

    interval: float

    def delay(self, failures: int, chance: float) -> float:
        """After so many runs in a row that did not converge; `chance` is from 0 to 1.

        A failure is tried again soon, and then less and less often, up to the interval.
        """
        seconds = self.interval
        if failures:
            seconds = min(seconds, FIRST_RETRY_SECONDS * 2.0 ** min(failures - 1, 30))
        return seconds * (1 + JITTER * (2 * chance - 1))
