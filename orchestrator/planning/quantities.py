"""Quantities as Kubernetes reads them: `500m`, `1.5`, `4Gi`, `2G`, `1e3`."""

import re
from decimal import ROUND_CEILING, Decimal

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_LARGEST = Decimal(30)
"""An exponent beyond all memory there is; Kubernetes stops at 2^63."""

_FORM = re.compile(r"([+-]?[0-9.]+)(?:([eE][+-]?[0-9.]+)|([A-Za-z]*))")


def exact(quantity: int | str) -> Decimal:
    """The number that a quantity of the manifest stands for; its form was checked before."""
    found = _FORM.fullmatch(str(quantity))
    if found is None:
        raise ValueError(f"{quantity!r} is no quantity")
    number, exponent, suffix = Decimal(found[1]), found[2], found[3] or ""
    if exponent:
        return number.scaleb(int(min(Decimal(exponent[1:]), _LARGEST)))
    if suffix in _BINARY:
        return number * (1 << 10 * _BINARY[suffix])
    return number.scaleb(_DECIMAL[suffix])


def whole(quantity: int | str) -> int:
    """The quantity in whole units, such as bytes; a fraction counts as one more."""
    return int(exact(quantity).to_integral_value(ROUND_CEILING))


def thousandths(quantity: int | str) -> int:
    """The quantity in thousandths, such as of a CPU; a fraction counts as one more."""
    return int((exact(quantity) * 1000).to_integral_value(ROUND_CEILING))
