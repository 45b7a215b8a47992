"""What an option's value means to Ceph, so that equal ones are left alone.

Ceph writes values in its own form: `4G` becomes 4294967296 (for counts 4000000000), `1` of a switch
becomes true, `10m` 600, and `1` of a level of debugging 1/1. A difference that is only one of
writing would be set again for ever.
"""

import hashlib
import re
from decimal import Decimal

TRUE, FALSE = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})
POWERS = " KMGTPE"
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
DIGEST = "sha256:"
"""How facts give the value of an option that holds a secret."""

SHOWN = len(DIGEST) + 12

_SECRET = re.compile(
    r"passw|secret|token|credential|api[ _-]?key|private|encryption[ _-]?key", re.IGNORECASE
)
"""As in plugins/module_utils/redact.py."""
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([KMGTPE]?)(i?)[bB]?")
_LEVELS = re.compile(r"(\d+)(?:/(\d+))?")
_DURATION = re.compile(r"(\d+)\s*(s|sec|m|min|h|hr|d|day|w|wk|week)s?")


def shown(name: str, value: str) -> str:
    """The value for a plan that anybody may read: of a secret the beginning of its digest."""
    return hidden(value) if is_secret(name) or value.startswith(DIGEST) else value


def is_secret(name: str) -> bool:
    """Whether the name of an option says that its value is a secret."""
    return bool(_SECRET.search(name))


def hidden(value: str) -> str:
    return _digest(value)[:SHOWN]


def same(current: str, wanted: str) -> bool:
    """`current` is in Ceph's own form, `wanted` as a person wrote it; either may be a digest."""
    if current.startswith(DIGEST) or wanted.startswith(DIGEST):
        return _digest(current) == _digest(wanted)
    return current == wanted or bool(_meanings(current) & _meanings(wanted))


def _digest(value: str) -> str:
    if value.startswith(DIGEST):
        return value
    return DIGEST + hashlib.sha256(value.encode()).hexdigest()


def _meanings(value: str) -> set[str | Decimal]:
    text = value.strip()
    return {*_switch(text.lower()), *_numbers(text), *_duration(text.lower()), *_levels(text)}


def _switch(text: str) -> list[str]:
    return [answer for answer, words in (("true", TRUE), ("false", FALSE)) if text in words]


def _numbers(text: str) -> list[Decimal]:
    found = _NUMBER.fullmatch(text)
    if not found:
        return []
    power = POWERS.index(found[2] or " ")
    bases = (1024,) if found[3] else (1024, 1000)
    return [Decimal(found[1]) * base**power for base in bases]


def _duration(text: str) -> list[Decimal]:
    found = _DURATION.fullmatch(text)
    return [Decimal(found[1]) * SECONDS[found[2][0]]] if found else []


def _levels(text: str) -> list[str]:
    """What is logged and what is kept in memory; a single level is meant for both."""
    found = _LEVELS.fullmatch(text)
    return [f"{int(found[1])}/{int(found[2] or found[1])}"] if found else []
