"""Work that may hang, done in a forked process that can be left behind.

A thread stuck inside librados, or in an uninterruptible read of a broken disk, keeps its whole
process (and Ansible's connection) alive. A child can be killed, and when even that does not help,
it can be forgotten: it holds none of the parent's streams.
"""

from __future__ import annotations

import collections
import contextlib
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LENGTH = struct.Struct(">Q")
_REAP_SECONDS = 0.05
_SLOW_SECONDS = 0.2
_MOST_CHILDREN = 32
_ENVIRONMENT = {
    **os.environ,
    "LC_ALL": "C",
    "PATH": os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin",
}


class ChildGoneError(Exception):
    """The other side ended without an answer."""


class Channel:
    """Whole Python values over one end of a socket pair."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    def send(self, value: object) -> None:
        payload = pickle.dumps(value)
        try:
            self.end.sendall(_LENGTH.pack(len(payload)) + payload)
        except OSError as error:
            raise ChildGoneError("the worker process ended") from error

    def receive(self, seconds: float | None = None) -> Any:  # noqa: ANN401 - whatever was sent
        """Give the next value; TimeoutError when it does not come in time."""
        until = None if seconds is None else time.monotonic() + seconds
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size, until))
        return pickle.loads(self._exactly(length, until))  # noqa: S301 - sent by our own fork

    def _exactly(self, count: int, until: float | None) -> bytes:
        received = bytearray()
        while len(received) < count:
            wait = None if until is None else max(0.0, until - time.monotonic())
            if not select.select([self.end], [], [], wait)[0]:
                raise TimeoutError("no answer in time")
            part = self.end.recv(min(count - len(received), 1 << 20))
            if not part:
                raise ChildGoneError("the worker process ended")
            received += part
        return bytes(received)

    def close(self) -> None:
        self.end.close()

    def close_others(self) -> None:
        """Drop every inherited descriptor, or a sibling would not see its parent go."""
        keep = {0, 1, 2, self.end.fileno()}
        for descriptor in {int(name) for name in os.listdir("/proc/self/fd")} - keep:  # noqa: PTH208
            with contextlib.suppress(OSError):
                os.close(descriptor)


class Child:
    """A forked process that runs `work(channel)`; `channel` is the parent's end."""

    def __init__(self, work: Callable[[Channel], None]) -> None:
        ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            _become(work, Channel(theirs))
        theirs.close()
        self.channel = Channel(ours)

    def stop(self) -> None:
        """Kill it, and wait only as long as a process that can die needs to die."""
        self.channel.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        until = time.monotonic() + _REAP_SECONDS
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(self.pid, os.WNOHANG) == (0, 0) and time.monotonic() < until:
                time.sleep(0.002)


def _become(work: Callable[[Channel], None], channel: Channel) -> None:
    """Be the child, to the end: nothing may return into the parent's code."""
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        channel.close_others()
        work(channel)
    except BaseException:  # noqa: BLE001 - the parent sees the channel close
        os._exit(1)
    os._exit(0)


def call(function: Callable[[], Any], seconds: float) -> Any:  # noqa: ANN401 - what it gives
    """Give `function()`, raising what it raises, or TimeoutError."""
    answer = each([""], lambda _item: function(), seconds)[""]
    if isinstance(answer, Exception):
        raise answer
    return answer


def output(command: Sequence[str], seconds: float) -> tuple[int, str, str]:
    """Run a command that may hang; give its exit code, output and errors as clean text."""
    return call(lambda: run(command), seconds)  # type: ignore[no-any-return]


def run(command: Sequence[str]) -> tuple[int, str, str]:
    """Run a command without a limit: for work that is inside of a child already."""
    done = subprocess.run(command, check=False, capture_output=True, env=_ENVIRONMENT)
    return done.returncode, text(done.stdout), text(done.stderr)


def text(raw: bytes) -> str:
    """Bytes of unknown make as text that any encoder accepts."""
    return raw.decode("utf-8", "backslashreplace")


def each(
    items: Iterable[str], function: Callable[[str], Any], seconds: float, at_once: int = 1
) -> dict[str, Any]:
    """Map every item to `function(item)`, or to its exception: TimeoutError after `seconds`.

    So many children as `at_once` do it as long as none is slow; each slow item costs one more.
    """
    return _Pool(items, function, seconds, at_once).run()


class _Pool:
    def __init__(
        self,
        items: Iterable[str],
        function: Callable[[str], Any],
        seconds: float,
        at_once: int,
    ) -> None:
        self._waiting = collections.deque(items)
        self._at_once = at_once
        self._function = function
        self._seconds = seconds
        self._idle: list[Child] = []
        self._busy: dict[Child, tuple[str, float]] = {}
        self._results: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        try:
            while self._waiting or self._busy:
                self._hand_out()
                self._gather()
                self._give_up()
        finally:
            for child in (*self._idle, *self._busy):
                child.stop()
        return self._results

    def _hand_out(self) -> None:
        while self._waiting and (self._idle or self._may_grow()):
            child = self._idle.pop() if self._idle else Child(self._serve)
            item = self._waiting.popleft()
            self._busy[child] = (item, time.monotonic())
            child.channel.send(item)

    def _may_grow(self) -> bool:
        slow_since = time.monotonic() - _SLOW_SECONDS
        quick = sum(since > slow_since for _item, since in self._busy.values())
        return quick < self._at_once and len(self._busy) < _MOST_CHILDREN

    def _serve(self, channel: Channel) -> None:
        while True:
            channel.send(_outcome(self._function, channel.receive()))

    def _gather(self) -> None:
        wait = _SLOW_SECONDS / 4 if self._waiting else self._seconds / 20
        by_end = {child.channel.end: child for child in self._busy}
        for end in select.select(list(by_end), [], [], wait)[0]:
            child = by_end[end]
            item, _since = self._busy.pop(child)
            try:
                self._results[item] = child.channel.receive(self._seconds)
                self._idle.append(child)
            except (TimeoutError, ChildGoneError) as error:
                self._results[item] = error
                child.stop()

    def _give_up(self) -> None:
        oldest = time.monotonic() - self._seconds
        for child, (item, since) in list(self._busy.items()):
            if since <= oldest:
                self._results[item] = TimeoutError(f"no answer within {self._seconds:g} s")
                del self._busy[child]
                child.stop()


def _outcome(function: Callable[[str], Any], item: str) -> Any:  # noqa: ANN401 - or its exception
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - an item's failure is its answer
        return error
