"""Compares values of Ceph's options: `1G`, `1Gi` and 1073741824 are one value to Ceph."""

from __future__ import annotations

import re
from typing import Any

_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")
_NUMBER = re.compile(r"^([+-]?\d*\.?\d+(?:e[+-]?\d+)?)\s*([kmgtpe]?)(i?)b?$", re.IGNORECASE)
_POWERS = " kmgtpe"
_DURATION = re.compile(r"^(\d+)\s*(s|sec|m|min|h|hr|d|day|w|wk)s?$", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def text(value: Any) -> str:  # noqa: ANN401 - whatever YAML gave
    """Write a value as Ceph does: booleans in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def same(current: str, wanted: str) -> bool:
    """Say whether the cluster would store `wanted` as `current`."""
    if current == wanted:
        return True
    return any(_normal(current, form) & _normal(wanted, form) for form in (1000, 1024))


def _normal(value: str, base: int) -> set[object]:
    """Give what a value may mean, with `base` for the suffixes that have no i."""
    word = value.strip().lower()
    meanings: set[object] = set()
    if word in (*_TRUE, "1"):
        meanings.add("true")
    if word in (*_FALSE, "0"):
        meanings.add("false")
    number = _NUMBER.match(word)
    if number:
        power = _POWERS.index(number.group(2) or " ")
        meanings.add(float(number.group(1)) * (1024 if number.group(3) else base) ** power)
    duration = _DURATION.match(word)
    if duration:
        meanings.add(float(duration.group(1)) * _SECONDS[duration.group(2)[0]])
    return meanings
