"""Sizes of devices as cephadm's drive groups write them: `480G`, `1T:4T`, `:10G`, `40G:`.

Units are decimal, as on a drive's label. A single size means the drives that are sold as that size:
those that round to it, for no drive has exactly 480,000,000,000 bytes.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"(\d{1,15})(?:\.(\d{1,6}))?([KMGT])B?")


class SizeError(ValueError):
    """A text that is no size and no range of sizes."""


@dataclass(frozen=True, slots=True)
class SizeRange:
    """From the lowest to the highest number of bytes, both included; None has no limit."""

    low: Decimal | None
    high: Decimal | None

    def holds(self, size: int) -> bool:
        return (self.low is None or size >= self.low) and (self.high is None or size <= self.high)


@lru_cache(maxsize=256)
def parse(text: str) -> SizeRange:
    """Read a size or a range; raises SizeError with the reason."""
    low, colon, high = text.partition(":")
    if not colon:
        return _about(text)
    found = SizeRange(_bytes(low) if low else None, _bytes(high) if high else None)
    if found.low is None and found.high is None:
        raise SizeError("has neither a lowest nor a highest size")
    if found.low is not None and found.high is not None and found.low > found.high:
        raise SizeError("has a lowest size above the highest")
    return found


def _about(text: str) -> SizeRange:
    """Half of the last digit that is written, up and down."""
    value, match = _bytes(text), _matched(text)
    half = Decimal(_UNITS[match[3]]) / (2 * 10 ** len(match[2] or ""))
    return SizeRange(value - half, value + half)


def _bytes(text: str) -> Decimal:
    match = _matched(text)
    return Decimal(f"{match[1]}.{match[2] or 0}") * _UNITS[match[3]]


def _matched(text: str) -> re.Match[str]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise SizeError("is not a size")
    return match
