"""Signals, taken for a while: the one way in which a program here hears of them."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def handled(numbers: Sequence[int], note: Callable[[int], None]) -> Iterator[None]:
    """Tell `note` of each of these signals; at the end the handlers before are put back.

    The kernel may interrupt the main thread anywhere for it, so `note` sets plain values and no
    more.
    """
    before = [signal.signal(number, lambda found, _frame: note(found)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
