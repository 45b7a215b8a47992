"""The type of a field in words, from its JSON schema."""

from collections.abc import Mapping
from typing import Any

WIDEST = 2**31 - 1
"""Bounds of whole machine numbers say nothing to a reader."""


def words(schema: Mapping[str, Any]) -> str:
    """`integer, 0 to 9`, "list of string", or the name of a model."""
    choices = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if choices:
        return " or ".join(words(one) for one in choices)
    return _named(schema) or _plain(schema)


def _named(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    return " or ".join(f"`{one}`" for one in schema.get("enum", ()) if one not in {"", None})


def _plain(schema: Mapping[str, Any]) -> str:
    match schema.get("type"):
        case "array":
            return f"list of {words(schema['items'])}"
        case "object":
            return _map(schema)
        case "integer" | "number" as kind:
            return f"{kind}{_range(schema)}"
        case kind:
            return str(kind)


def _map(schema: Mapping[str, Any]) -> str:
    held = [schema.get("additionalProperties"), *schema.get("patternProperties", {}).values()]
    inner = [words(one) for one in held if isinstance(one, Mapping)]
    return f"map of {inner[0]}" if inner else str(schema.get("title", "object"))


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum", -WIDEST - 1), schema.get("maximum", WIDEST)
    if low < -WIDEST:
        return ""
    return f", at least {low}" if high >= WIDEST else f", {low} to {high}"
