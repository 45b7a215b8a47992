"""Keeps Ceph keys out of every text that leaves a module: messages, diffs, errors."""

from __future__ import annotations

import re

# A key is base64 of (u16 type, utime, u16 length, secret): type 1 starts with AQ, type 2 with Ag.
_KEY = re.compile(r"A[Qg][A-Za-z0-9+/]{36,}={0,2}")
_ASSIGNED = re.compile(r"(\bkey\b[\"']?\s*[:=]\s*[\"']?)[A-Za-z0-9+/]{16,}={0,2}", re.IGNORECASE)
_TELLING = r"(?:passw|secret|token|credential|api[ _-]?key|private|encryption[ _-]?key)"
_SECRET_NAME = re.compile(_TELLING, re.IGNORECASE)
_SECRET_LINE = re.compile(
    rf"^(?P<name>[^=#;\n]*{_TELLING}[^=\n]*=[^\S\n]*)\S.*$", re.IGNORECASE | re.MULTILINE
)
HIDDEN = "********"


def redact(text: str) -> str:
    """Replace all that looks like a Ceph key."""
    return _ASSIGNED.sub(rf"\g<1>{HIDDEN}", _KEY.sub(HIDDEN, text))


def is_secret(name: str) -> bool:
    """Say whether the name of an option says that its value is a secret."""
    return bool(_SECRET_NAME.search(name))


def redact_file(text: str) -> str:
    """Replace keys, and the values of options whose names say that they are secrets."""
    return redact(_SECRET_LINE.sub(rf"\g<name>{HIDDEN}", text))
