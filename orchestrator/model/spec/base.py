"""What every section of the spec has in common: frozen, strict, Rook's camelCase names.

The formats of the CRD that are more than a plain type (quantities, durations, patterns, 32-bit
numbers) are defined here once.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from orchestrator.model.spec import patterns

_QUANTITY = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+))?"
)
_DURATION = re.compile(r"[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)")
_RE2_LACKS = "write it without look-around, back-references and possessive repetition"


class Section(BaseModel):
    """One object of the spec.

    Unknown fields are errors of the model; the reader of manifests decides which of them refuse
    the manifest and which are only named.
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        allow_inf_nan=False,
    )


def refuse(message: str, remedy: str) -> PydanticCustomError:
    """Make the error of one field; the remedy travels beside the message."""
    return PydanticCustomError("refused", "{message}", {"message": message, "remedy": remedy})


def judged_bare(check: Callable[[str], object]) -> Callable[[object], object]:
    """Refuse a number or a switch for what its text lacks, where quotes alone would not help.

    `confirmation: yes` is true to YAML, and "true" in quotes would confirm nothing either.
    """

    def judged(value: object) -> object:
        if isinstance(value, bool | int | float):
            check(json.dumps(value))
        return value

    return judged


def zero_means(default: int) -> AfterValidator:
    """Go cannot tell 0 from absent, so Rook gives both the same default."""
    return AfterValidator(lambda value: value or default)


@dataclass(frozen=True, slots=True)
class Matching:
    """Requires the whole text to match a pattern of the CRD, with words instead of the pattern."""

    pattern: str
    message: str
    remedy: str

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        text = core_schema.no_info_after_validator_function(self._check, handler(source))
        return core_schema.no_info_before_validator_function(judged_bare(self._check), text)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^({self.pattern})$"}

    def _check(self, value: str) -> str:
        if not re.fullmatch(self.pattern, value):
            raise refuse(self.message, self.remedy)
        return value


def matching(pattern: str, message: str, remedy: str) -> Matching:
    return Matching(pattern, message, remedy)


def confirming(word: str) -> Matching:
    """Take a confirmation of Rook's: the one word, or nothing."""
    remedy = f"write {word} to confirm, or remove the field"
    return matching(f"({word})?", f"must be empty or {word}", remedy)


def _pattern(value: str) -> str:
    try:
        patterns.check(value)
    except patterns.PatternError as error:
        foreign = any(word in str(error) for word in ("perl operator", "escape", "repetition"))
        remedy = _RE2_LACKS if foreign else "correct the pattern"
        message = f"is not a regular expression of Rook's engine (RE2): {error}"
        raise refuse(message, remedy) from None
    return value


def _quantity(value: object) -> int | str:
    number = _int_or_string(value)
    if not _QUANTITY.fullmatch(str(number)):
        raise refuse("must be a quantity", "write a number with an optional suffix, such as 500M")
    return number


def _int_or_string(value: object) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise refuse("must be an integer or a string", "write one number or one text")
    return value


def _duration(value: str) -> str:
    if value and not _DURATION.fullmatch(value):
        raise refuse("must be a duration", "write numbers with units, such as 45s or 1h30m")
    return value


def unique(what: str) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """Require every element to be there once."""

    def check(values: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(values)) != len(values):
            raise refuse(f"must name every {what} once", "remove the repeated one")
        return values

    return check


Int32 = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
Port = Annotated[int, Field(ge=0, le=65535)]
_INT_OR_STRING = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
IntOrString = Annotated[int | str, PlainValidator(_int_or_string), WithJsonSchema(_INT_OR_STRING)]
Quantity = Annotated[
    int | str,
    PlainValidator(_quantity),
    WithJsonSchema({**_INT_OR_STRING, "pattern": f"^({_QUANTITY.pattern})$"}),
]
Duration = Annotated[str, BeforeValidator(judged_bare(_duration)), AfterValidator(_duration)]
Pattern = Annotated[str, AfterValidator(_pattern)]
StringMap = Mapping[str, str]
