"""A host's addresses and names, asked of the kernel itself: needs neither `ip` nor a process."""

from __future__ import annotations

import ipaddress
import os
import socket
import struct
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = struct.Struct("=IHHII")
_ADDRESS = struct.Struct("=BBBBI")
_ATTRIBUTE = struct.Struct("=HH")
_GET_ADDRESSES, _NEW_ADDRESS, _DONE, _ERROR = 22, 20, 3, 2
_REQUEST_DUMP = 0x301
_IFA_ADDRESS, _IFA_LOCAL = 1, 2
_SCOPE_LINK = 253
_SECONDS = 2.0


def collect() -> list[str]:
    """List addresses as 10.1.2.3/24, without loopback and link-local ones."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.settimeout(_SECONDS)
        body = _ADDRESS.pack(socket.AF_UNSPEC, 0, 0, 0, 0)
        size = _HEADER.size + len(body)
        kernel.send(_HEADER.pack(size, _GET_ADDRESSES, _REQUEST_DUMP, 1, 0) + body)
        return sorted({text for message in _messages(kernel) for text in _address(message)})


def _messages(kernel: socket.socket) -> Iterator[bytes]:
    while True:
        data = kernel.recv(1 << 18)
        while data:
            length, kind, *_rest = _HEADER.unpack_from(data)
            if kind in (_DONE, _ERROR):
                return
            if kind == _NEW_ADDRESS:
                yield data[_HEADER.size : length]
            data = data[(length + 3) & ~3 :]


def _address(message: bytes) -> Iterator[str]:
    _family, prefix, _flags, scope, _index = _ADDRESS.unpack_from(message)
    if scope >= _SCOPE_LINK:
        return
    found = dict(_attributes(message[_ADDRESS.size :]))
    # On a point-to-point link IFA_ADDRESS is the peer's.
    raw = found.get(_IFA_LOCAL) or found.get(_IFA_ADDRESS)
    if raw:
        yield f"{ipaddress.ip_address(raw)}/{prefix}"


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(data)
        if length < _ATTRIBUTE.size:
            return
        yield kind, data[_ATTRIBUTE.size : length]
        data = data[(length + 3) & ~3 :]


def names(seconds: float) -> tuple[str, str]:
    """Give host name and full name; a resolver that hangs costs the full name alone."""
    short = os.uname().nodename
    try:
        return short, str(child.call(socket.getfqdn, seconds))
    except (OSError, UnicodeError, child.ChildGoneError):
        return short, short
