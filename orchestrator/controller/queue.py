"""Keys that wait for a pass: each once, each at most once at work, and none forgotten.

There are three ways in. `add` is for what people asked for, an edited spec: it is worked on as soon
as the pass at work has ended. `nudge` is for what may only be the echo of our own writes, an object
that changed: it never comes before the pause that a failed pass asked for, or a pass that fails
after having written something would go round without one. `wake` is for what is never an echo, a
node that came: it may be just what a failed pass lacked.
"""

import heapq
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from orchestrator.model.names import ClusterKey

NUDGE_SECONDS = 1.0


@dataclass(slots=True)
class WorkQueue:
    """Thread-safe; times are of `clock`, in seconds."""

    clock: Callable[[], float] = time.monotonic
    _due: dict[ClusterKey, float] = field(default_factory=dict)
    _heap: list[tuple[float, ClusterKey]] = field(default_factory=list)
    _at_work: set[ClusterKey] = field(default_factory=set)
    _added: set[ClusterKey] = field(default_factory=set)
    _nudged: set[ClusterKey] = field(default_factory=set)
    _held: set[ClusterKey] = field(default_factory=set)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _closed: bool = False

    def add(self, key: ClusterKey) -> None:
        """Work on `key` now, or right after the pass that is at work."""
        with self._changed:
            if key in self._at_work:
                self._added.add(key)
            else:
                self._schedule(key, self.clock())

    def nudge(self, key: ClusterKey, seconds: float = NUDGE_SECONDS) -> None:
        """Work on `key` in a while, if that is sooner and no failure is being waited out."""
        with self._changed:
            if key in self._at_work:
                self._nudged.add(key)
            elif key not in self._held:
                self._schedule(key, self.clock() + seconds)

    def wake(self, key: ClusterKey, seconds: float) -> None:
        """Work on `key` in a while, if that is sooner, whatever is being waited out."""
        with self._changed:
            if key in self._at_work:
                self._added.add(key)
            else:
                self._schedule(key, self.clock() + seconds)

    def get(self, seconds: float | None = None) -> ClusterKey | None:
        """The next key that is due; None when the queue was closed, or after `seconds`."""
        end = None if seconds is None else self.clock() + seconds
        with self._changed:
            while not self._closed:
                now = self.clock()
                key = self._taken(now)
                if key is not None:
                    return key
                moments = [one for one in (end, self._next()) if one is not None]
                if end is not None and now >= end:
                    return None
                self._changed.wait(min(moments) - now if moments else None)
            return None

    def done(self, key: ClusterKey, again: float | None = None, *, hold: bool = False) -> None:
        """The pass has ended; work on `key` again after so many seconds, or when it is woken.

        With `hold` the pause is one after a failure, which no nudge shortens.
        """
        with self._changed:
            added, nudged = key in self._added, key in self._nudged
            for keys in (self._at_work, self._added, self._nudged):
                keys.discard(key)
            now = self.clock()
            if again is not None:
                self._schedule(key, now + again)
            if added:
                self._schedule(key, now)
            elif hold:
                self._held.add(key)
            elif nudged:
                self._schedule(key, now + NUDGE_SECONDS)

    def forget(self, key: ClusterKey) -> None:
        """Its cluster is gone: nothing waits for it any more."""
        with self._changed:
            self._due.pop(key, None)
            for keys in (self._added, self._nudged, self._held):
                keys.discard(key)

    def close(self) -> None:
        """Let everybody who waits for a key go with none."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def depth(self) -> int:
        """Keys that are due and not at work."""
        with self._changed:
            now = self.clock()
            return sum(1 for due in self._due.values() if due <= now)

    def _schedule(self, key: ClusterKey, due: float) -> None:
        """The earlier of two times counts; what is late in the heap is recognised by `_due`."""
        if due < self._due.get(key, float("inf")):
            self._due[key] = due
            heapq.heappush(self._heap, (due, key))
            self._changed.notify_all()

    def _taken(self, now: float) -> ClusterKey | None:
        while self._heap and self._heap[0][0] <= now:
            due, key = heapq.heappop(self._heap)
            if self._due.get(key) == due:
                del self._due[key]
                self._held.discard(key)
                self._at_work.add(key)
                return key
        return None

    def _next(self) -> float | None:
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None


@dataclass(slots=True)
class Backoff:
    """Pauses that double with each failure in a row, up to a ceiling. Seconds."""

    first: float = 2.0
    ceiling: float = 300.0
    _failures: dict[ClusterKey, int] = field(default_factory=dict)

    def failed(self, key: ClusterKey) -> float:
        """The pause after one more failure."""
        count = self._failures.get(key, 0)
        self._failures[key] = count + 1
        return float(min(self.ceiling, self.first * 2 ** min(count, 32)))

    def succeeded(self, key: ClusterKey) -> None:
        self._failures.pop(key, None)
