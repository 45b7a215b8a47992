"""Keeps Ceph keys out of every text that leaves a module: messages, diffs, errors."""

from __future__ import annotations

import re

# A key is base64 of (u16 type, utime, u16 length, secret): type 1 starts with AQ, type 2 with Ag.
_KEY = re.compile(r"A[Qg][A-Za-z0-9+/]{36,}={0,2}")
_ASSIGNED = re.compile(r"(\bkey\b[\"']?\s*[:=]\s*[\"']?)[A-Za-z0-9+/]{16,}={0,2}", re.IGNORECASE)
HIDDEN = "********"


def redact(text: str) -> str:
    """Replace all that looks like a Ceph key."""
    return _ASSIGNED.sub(rf"\g<1>{HIDDEN}", _KEY.sub(HIDDEN, text))
