"""Waits for what comes by itself: it is asked for until it is there, up to a deadline."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 120.0  # of a busy machine; only what fails waits so long


def eventually(
    look: Callable[[], T],
    seconds: float = PATIENCE_SECONDS,
    *,
    good: Callable[[T], object] = bool,
    tell: Callable[[T], object] = repr,
    pause: float = 0.03,
) -> T:
    """What `look` gives once that is `good`; AssertionError with what `tell` makes of the last."""
    end = time.monotonic() + seconds
    while not good(found := look()):
        assert time.monotonic() < end, f"not within {seconds:g} s: {tell(found)}"
        time.sleep(pause)
    return found
