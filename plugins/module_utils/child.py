"""Work that may hang, done in a forked process that can be left behind.

A thread stuck inside librados, or in an uninterruptible read of a broken disk, keeps its whole
process (and Ansible's connection) alive. A child can be killed, and when even that does not help,
it can be forgotten: it holds none of the parent's streams.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_LENGTH = struct.Struct(">Q")
_REAP_SECONDS = 0.2


class ChildGoneError(Exception):
    """The other side ended without an answer."""


class Channel:
    """Whole Python values over one end of a socket pair."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def send(self, value: object) -> None:
        payload = pickle.dumps(value)
        try:
            self._end.sendall(_LENGTH.pack(len(payload)) + payload)
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
            if not select.select([self._end], [], [], wait)[0]:
                raise TimeoutError("no answer in time")
            part = self._end.recv(min(count - len(received), 1 << 20))
            if not part:
                raise ChildGoneError("the worker process ended")
            received += part
        return bytes(received)

    def close(self) -> None:
        self._end.close()

    def close_others(self) -> None:
        """Drop every inherited descriptor, or a sibling would not see its parent go."""
        keep = {0, 1, 2, self._end.fileno()}
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


def each(items: Iterable[str], function: Callable[[str], Any], seconds: float) -> dict[str, Any]:
    """Map every item to `function(item)`, or to the exception: one child as long as none hangs.

    An item that takes longer than `seconds` gets TimeoutError; a new child does the rest.
    """
    todo = list(items)
    results: dict[str, Any] = {}
    while todo:
        results.update(_until_stuck(todo, function, seconds))
        todo = [item for item in todo if item not in results]
    return results


def _until_stuck(
    items: list[str], function: Callable[[str], Any], seconds: float
) -> Iterator[tuple[str, Any]]:
    child = Child(lambda channel: _answer_all(channel, items, function))
    try:
        for item in items:
            answer = _answer(child, seconds)
            yield item, answer
            if isinstance(answer, (TimeoutError, ChildGoneError)):
                return
    finally:
        child.stop()


def _answer(child: Child, seconds: float) -> Any:  # noqa: ANN401 - whatever the function gave
    try:
        return child.channel.receive(seconds)
    except (TimeoutError, ChildGoneError) as error:
        return error


def _answer_all(channel: Channel, items: list[str], function: Callable[[str], Any]) -> None:
    for item in items:
        channel.send(_outcome(function, item))


def _outcome(function: Callable[[str], Any], item: str) -> Any:  # noqa: ANN401 - or its exception
    try:
        return function(item)
    except TimeoutError as error:
        return OSError(error.errno, str(error))
    except Exception as error:  # noqa: BLE001 - an item's failure is its answer
        return error
