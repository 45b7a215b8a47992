"""What a plain YAML word means: null, true, a number, or itself.

As kubectl reads it, so that a manifest means the same here and there: dates and base-60 numbers
(`12:30`) stay text.
"""

import re

Value = str | int | float | bool | None

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9_]*)")
_BASED = re.compile(r"[-+]?0(b[01_]+|o?[0-7_]+|x[0-9a-fA-F_]+)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))")
# Longer numbers are no numbers anybody means, and Python refuses to convert the longest.
_MAX_DIGITS = 64


def resolve(text: str) -> Value:
    if text in _NULLS:
        return None
    boolean = _boolean(text)
    return boolean if boolean is not None else _number(text)


def _boolean(text: str) -> bool | None:
    if text not in {text.lower(), text.upper(), text.capitalize()}:
        return None
    word = text.lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _number(text: str) -> Value:
    if len(text) > _MAX_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text.replace("_", ""))
    if _BASED.fullmatch(text):
        return _based(text.replace("_", ""), text)
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", ""))
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def _based(digits: str, text: str) -> Value:
    sign = "-" if digits.startswith("-") else ""
    body = digits.lstrip("+-")
    if body[1:2].isdigit():
        body = f"0o{body[1:]}"
    try:
        return int(sign + body, 0)
    except ValueError:
        return text
