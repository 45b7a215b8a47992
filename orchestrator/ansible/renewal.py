"""The lock of a step that takes long is renewed while it runs, so that nobody takes it over."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from orchestrator.ansible.variables import Variables

PARTS = 3
"""A lock is renewed when a third of its time is over: one attempt may fail, as mons restart."""

Renew = Callable[[Variables, Callable[[], bool]], None]


@contextmanager
def while_running(renew: Renew, variables: Variables, *, check: bool) -> Iterator[None]:
    """Call `renew(variables, ended)` now and then; it gives up soon once `ended()` is true."""
    if check or not variables.extra.get("lock_renewal_hosts"):
        yield
        return
    ended = threading.Event()
    pause = float(variables.extra["lock_seconds"]) / PARTS
    keeper = threading.Thread(target=_keep, args=(renew, variables, ended, pause), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()


def _keep(renew: Renew, variables: Variables, ended: threading.Event, pause: float) -> None:
    while not ended.wait(pause):
        renew(variables, ended.is_set)
