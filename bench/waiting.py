"""Waits for what is measured; a measure that is waited for in vain is void."""

import time
from collections.abc import Callable

from lab.proc import LabError


def until(done: Callable[[], bool], who: str, *, seconds: float, pause: float) -> None:
    """Ask every `pause` seconds; LabError that names `who` when it has not come in `seconds`."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise LabError(f"{who} was waited for in vain; the measure is void")
        time.sleep(pause)
