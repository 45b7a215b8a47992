"""Pydantic's errors in our words: what the field must be, and how to get there."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import ErrorDetails

from orchestrator.model.manifest import fields
from orchestrator.model.manifest.problems import ABSENT, Finding, Path, value_text

_KEY = "[key]"
_STORAGE_CONFIG: Path = ("storage", "config")

_MESSAGES: Mapping[str, str] = {
    "missing": "is required",
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "model_type": "must be a mapping of fields",
    "dict_type": "must be a mapping",
    "mapping_type": "must be a mapping",
    "tuple_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be one of {expected}",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
}


def finding(details: ErrorDetails, root: Path) -> Finding:
    loc = field_loc(details)
    return Finding(
        (*root, *loc),
        _message(details),
        _remedy(details, loc),
        ABSENT if details["type"] == "missing" else details["input"],
    )


def field_loc(details: ErrorDetails) -> Path:
    """Give the path without pydantic's mark for "the key itself is wrong"."""
    loc = details["loc"]
    return loc[:-1] if loc and loc[-1] == _KEY else loc


def belongs_under(loc: Path, depth: int) -> str:
    parent = ".".join(("spec", *(str(part) for part in loc[:depth])))
    return f"{loc[-1]} belongs under {parent}: correct the indentation"


def _message(details: ErrorDetails) -> str:
    context = details.get("ctx", {})
    if details["type"] == "refused":
        return str(context["message"])
    template = _MESSAGES.get(details["type"])
    return template.format(**context) if template else details["msg"]


def _remedy(details: ErrorDetails, loc: Path) -> str:
    if details["type"] == "refused":
        return str(details["ctx"]["remedy"])
    make = _REMEDIES.get(details["type"])
    return make(details, loc) if make else ""


def _missing(_: ErrorDetails, loc: Path) -> str:
    return f"add {loc[-1]}" if loc else ""


def _number(details: ErrorDetails, _: Path) -> str:
    text = details["input"]
    if isinstance(text, str) and text.strip("+-").isdigit():
        return "write it without quotes"
    return ""


def _boolean(details: ErrorDetails, _: Path) -> str:
    text = details["input"]
    if isinstance(text, str) and text.lower() in {"true", "false", "yes", "no"}:
        return "write it without quotes"
    return ""


def _string(details: ErrorDetails, loc: Path) -> str:
    value: Any = details["input"]
    if isinstance(value, bool | int | float):
        return f"write it in quotes: {value_text(value_text(value))}"
    if loc[:2] == _STORAGE_CONFIG and len(loc) > len(_STORAGE_CONFIG):
        return belongs_under(loc, 1)
    return ""


def _choice(details: ErrorDetails, _: Path) -> str:
    choices = str(details["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
    near = fields.closest(str(details["input"]), choices)
    return f"did you mean {near}?" if near else ""


_REMEDIES: Mapping[str, Callable[[ErrorDetails, Path], str]] = {
    "missing": _missing,
    "int_type": _number,
    "float_type": _number,
    "bool_type": _boolean,
    "string_type": _string,
    "literal_error": _choice,
}
