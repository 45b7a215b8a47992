"""Go's durations, as the manifest writes them: `45s`, `1h30m`, `1.5m`."""

import re
from decimal import Decimal

_UNITS = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "μs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
}
_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")


def seconds(text: str) -> Decimal:
    """The seconds of a duration that the schema has accepted; nothing and `0` are 0."""
    total = sum((Decimal(number) * _UNITS[unit] for number, unit in _PART.findall(text)), Decimal())
    return -total if text.startswith("-") else total
