"""Progress is told by a thread of its own: whoever listens slowly never holds up the run (C53)."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from orchestrator.ansible.events import Progress

MOST_WAITING = 10_000
LAST_WORDS_SECONDS = 10.0

Tell = Callable[[Progress], None]


@contextmanager
def queued(tell: Tell) -> Iterator[Tell]:
    """Give a function that only queues; what is told late is told before the end, within limits.

    A listener that falls behind by thousands misses what comes then: memory is bounded.
    """
    waiting: queue.Queue[Progress | None] = queue.Queue(MOST_WAITING)
    teller = threading.Thread(target=_tell_all, args=(waiting, tell), daemon=True)
    teller.start()

    def put(progress: Progress) -> None:
        try:
            waiting.put_nowait(progress)
        except queue.Full:
            return

    try:
        yield put
    finally:
        _end(waiting)
        teller.join(LAST_WORDS_SECONDS)


def _end(waiting: "queue.Queue[Progress | None]") -> None:
    """Make room for the end where there is none."""
    while True:
        try:
            waiting.put_nowait(None)
        except queue.Full:
            waiting.get_nowait()
        else:
            return


def _tell_all(waiting: "queue.Queue[Progress | None]", tell: Tell) -> None:
    while (progress := waiting.get()) is not None:
        tell(progress)
