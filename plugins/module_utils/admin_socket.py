"""Questions to one local daemon over its admin socket: answered without quorum, key or network."""

from __future__ import annotations

import errno
import json
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephError,
    decoded,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_LENGTH = struct.Struct(">I")
_REFUSED = b"ERROR:"


def ask(path: str, command: Mapping[str, Any], timeout: float = 2.0) -> Any:  # noqa: ANN401 - JSON
    """Give the daemon's JSON answer (its text when it is not JSON), or raise CephError."""
    until = time.monotonic() + timeout
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(timeout)
            connection.connect(path)
            connection.sendall(json.dumps({"format": "json", **command}).encode() + b"\0")
            (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, until))
            answer = _exactly(connection, length, until)
    except (TimeoutError, socket.timeout):  # two classes until Python 3.10
        raise CephError(errno.ETIMEDOUT, f"{path}: no answer within {timeout:g} s") from None
    except OSError as error:
        raise CephError(error.errno or errno.EIO, f"{path}: {error.strerror or error}") from error
    if answer.startswith(_REFUSED):
        raise CephError(errno.EINVAL, f"{path}: {answer.decode('utf-8', 'replace')}")
    return decoded(answer)


def _exactly(connection: socket.socket, count: int, until: float) -> bytes:
    received = bytearray()
    while len(received) < count:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        part = connection.recv(min(count - len(received), 1 << 20))
        if not part:
            raise OSError(errno.ECONNRESET, "the daemon closed the connection")
        received += part
    return bytes(received)
