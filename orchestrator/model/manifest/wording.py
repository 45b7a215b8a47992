"""Pydantic's errors in our words: what the field must be, and how to get there."""

from collections.abc import Mapping

from pydantic_core import ErrorDetails

from orchestrator.model.manifest import fields
from orchestrator.model.manifest.problems import ABSENT, Finding, Path, value_text

_KEY = "[key]"
_STORAGE_CONFIG: Path = ("storage", "config")
_NAMED = ("devices", "modules", "nodes")

_MESSAGES: Mapping[str, str] = {
    "missing": "is required",
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "model_type": "must be a mapping of fields",
    "dict_type": "must be a mapping",
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
    context = _context(details)
    if details["type"] == "refused":
        return str(context["message"])
    template = _MESSAGES.get(details["type"])
    return template.format(**context) if template else details["msg"]


def _remedy(details: ErrorDetails, loc: Path) -> str:
    context = _context(details)
    match details["type"]:
        case "refused":
            return str(context["remedy"])
        case "missing":
            return f"add {loc[-1]}"
        case "string_type":
            return _string(details["input"], loc)
        case "model_type" if _is_named(loc) and isinstance(details["input"], str):
            return f"write it as - name: {details['input']}"
        case "literal_error":
            return _choice(details["input"], str(context["expected"]))
        case known:
            return _REMEDIES.get(known, "correct the value").format(**context)


def _is_named(loc: Path) -> bool:
    """Tell whether this is an entry of a list that people know by their names."""
    return len(loc) > 1 and isinstance(loc[-1], int) and loc[-2] in _NAMED


def _context(details: ErrorDetails) -> dict[str, object]:
    """Give the numbers of a message as people write them: 1, not 1.0."""
    context = details.get("ctx", {})
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in context.items()
    }


def _string(value: object, loc: Path) -> str:
    if isinstance(value, bool | int | float):
        return f"write it in quotes: {value_text(value_text(value))}"
    if loc[:2] == _STORAGE_CONFIG and len(loc) > len(_STORAGE_CONFIG):
        return belongs_under(loc, 1)
    return "write one text"


def _choice(value: object, expected: str) -> str:
    choices = expected.replace("'", "").replace(" or ", ", ").split(", ")
    near = fields.closest(str(value), choices)
    return f"did you mean {near}?" if near else "use one of them, or remove the field"


_REMEDIES: Mapping[str, str] = {
    "int_type": "write a whole number, without quotes",
    "float_type": "write a number, without quotes",
    "bool_type": "write true or false, without quotes",
    "model_type": "write its fields on lines below it, indented",
    "dict_type": "write names and values on lines below it, indented",
    "tuple_type": "write one line with a dash for each entry",
    "greater_than_equal": "use {ge} or more",
    "less_than_equal": "use {le} or less",
    "too_long": "remove some",
    "too_short": "add one, or remove the field",
    "string_too_long": "shorten it",
    "string_too_short": "write a longer text",
}
