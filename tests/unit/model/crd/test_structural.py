"""From models to a structural schema."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from orchestrator.model.crd import structural
from orchestrator.model.spec.base import Int32, Int64, Quantity, Section, matching


class Inner(Section):
    """Words for those who read the code."""

    name: str


class Outer(Section):
    word: Annotated[str, matching("a|b", "must be a or b", "write a")] = ""
    choice: Literal["x", "y"] = "x"
    narrow: Int32 = 0
    wide: Int64 = 0
    large: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    few: Annotated[int, Field(ge=1, le=9)] = 1
    inner: Inner | None = None
    inners: tuple[Inner, ...] = ()
    amounts: Mapping[str, Quantity] = Field(default_factory=dict)


def field(name, opened=()):
    return structural.schema(Outer, opened)["properties"][name]


def test_a_pattern_holds_for_the_whole_text():
    assert field("word") == {"type": "string", "pattern": "^(a|b)$", "nullable": True}


def test_null_is_no_choice_as_kubectl_applies_no_crd_that_holds_one():
    assert field("choice") == {"type": "string", "enum": ["x", "y"], "nullable": True}


def test_the_width_of_a_number_is_its_format():
    assert field("narrow") == {"type": "integer", "format": "int32", "nullable": True}
    assert field("wide") == {"type": "integer", "format": "int64", "nullable": True}
    assert field("large") == {
        "type": "integer",
        "format": "int64",
        "minimum": 0,
        "maximum": 2**32 - 1,
        "nullable": True,
    }
    assert field("few") == {"type": "integer", "minimum": 1, "maximum": 9, "nullable": True}


def test_objects_are_written_out_and_what_is_required_is_not_null():
    inner = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}

    assert field("inner") == {**inner, "nullable": True}
    assert field("inners") == {"type": "array", "items": inner, "nullable": True}


def test_an_amount_is_a_number_or_a_text():
    value = field("amounts")["additionalProperties"]

    assert value["x-kubernetes-int-or-string"] is True
    assert value["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert "type" not in value


def test_objects_are_open_where_they_are_said_to_be():
    opened = field("inner", {"inner"})

    assert opened["x-kubernetes-preserve-unknown-fields"] is True
    assert "x-kubernetes-preserve-unknown-fields" not in field("inners", {"inner"})["items"]
