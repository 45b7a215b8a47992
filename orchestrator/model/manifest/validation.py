"""Raw values to models, with every problem at once.

Pydantic says everything about the fields of an object, but nothing about the object as a whole
when a field is wrong. So what it refuses is taken out and the rest is tried again, until it
passes: the rules that compare fields (`rules`) then have a model to read even from a bad manifest.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from orchestrator.model.manifest import fields, wording
from orchestrator.model.manifest.problems import Finding, Path

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Checked(Generic[Model]):
    """The model as far as the values could be understood, and what could not be."""

    model: Model
    refused: tuple[Finding, ...]
    unknown: tuple[Finding, ...]


def check(model: type[Model], raw: object, root: Path) -> Checked[Model]:
    """Validate values that stand at `root` in their document."""
    refused: list[Finding] = []
    unknown: list[Finding] = []
    while True:
        try:
            # Only Rook's own names count in a manifest; attribute names are for code.
            valid = model.model_validate(raw, by_alias=True, by_name=False)
        except ValidationError as error:
            round_ = error.errors(include_url=False)
            strange = [one for one in round_ if one["type"] == "extra_forbidden"]
            known = [one for one in round_ if one["type"] != "extra_forbidden"]
            unknown.extend(_unknown(model, details, root) for details in strange)
            refused.extend(_new((wording.finding(details, root) for details in known), refused))
            raw = _stripped(raw, round_)
        else:
            return Checked(valid, tuple(refused), tuple(unknown))


def _new(findings: Iterable[Finding], earlier: Iterable[Finding]) -> list[Finding]:
    """Leave out what is only said because a value below it is wrong."""
    found = tuple(findings)
    before = {finding.path for finding in earlier}
    below = {finding.path[:depth] for finding in found for depth in range(len(finding.path))}
    above = {path[:depth] for path in before for depth in range(len(path) + 1)}
    return [finding for finding in found if finding.path not in above | below]


def _stripped(raw: object, errors: Iterable[ErrorDetails]) -> object:
    left = raw
    for details in errors:
        left = _without(left, _removable(details))
    if left == raw:
        raise AssertionError(f"nothing to take out for {errors}")
    return left


def _unknown(model: type[BaseModel], details: ErrorDetails, root: Path) -> Finding:
    loc = details["loc"]
    name = str(loc[-1])
    siblings = fields.names_at(model, loc[:-1])
    near = fields.closest(name, siblings)
    remedy = f"did you mean {near}?" if near else _elsewhere(model, loc)
    return Finding((*root, *loc), "is not a field of CephCluster", remedy, details["input"])


def _elsewhere(model: type[BaseModel], loc: Path) -> str:
    """Look whether the field belongs to an object further up: the usual slip of indentation."""
    for depth in range(len(loc) - 2, -1, -1):
        if loc[-1] in fields.names_at(model, loc[:depth]):
            return wording.belongs_under(loc, depth)
    return "remove it, or correct its name"


def _removable(details: ErrorDetails) -> Path:
    """Say what must go for the rest to be valid: of a list, the whole list, as indexes shift."""
    loc = wording.field_loc(details)
    if details["type"] == "missing":
        loc = loc[:-1]
    while loc and isinstance(loc[-1], int):
        loc = loc[:-1]
    return loc


def _without(raw: object, path: Path) -> object:
    if not path:
        return {}
    head, rest = path[0], path[1:]
    if isinstance(raw, Mapping) and head in raw:
        kept = {key: value for key, value in raw.items() if key != head}
        return kept if not rest else {**kept, head: _without(raw[head], rest)}
    if isinstance(raw, tuple) and isinstance(head, int) and head < len(raw):
        return (*raw[:head], _without(raw[head], rest), *raw[head + 1 :])
    return raw
