"""Walks the models of the manifest: every field with its path, type, default and effect."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from handbook import wording
from orchestrator.model.manifest.support import EFFECTS, GIVEN, Platform
from orchestrator.model.spec.base import Section
from orchestrator.model.spec.kube import KubeObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Whether a platform acts on a field.

    `keys` are those of a map, where not all have an effect; `given` is the value that the platform
    gives anyway, where it takes no other.
    """

    acted_on: bool
    keys: tuple[str, ...] = ()
    given: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field below spec. `[]` in a path is any element of a list, `*` any key of a map."""

    path: str
    type: str
    default: str
    effects: Mapping[Platform, Effect]


def fields(model: type[Section], path: str = "") -> Iterator[Field]:
    """Every field of a section and of the sections in it, in the order of the model."""
    for name, info in model.model_fields.items():
        yield from _field(f"{path}.{info.alias or name}".lstrip("."), info)


def _field(path: str, info: FieldInfo) -> Iterator[Field]:
    pattern, inner = _inside(path, info.annotation)
    if isinstance(inner, type) and issubclass(inner, Section) and not issubclass(inner, KubeObject):
        yield from fields(inner, pattern)
        return
    annotation: Any = info.annotation
    for one in info.metadata:
        annotation = Annotated[annotation, one]
    yield Field(
        path=pattern.removesuffix(".*").removesuffix(".*"),
        type=wording.words(TypeAdapter(annotation).json_schema()),
        default=_default(info),
        effects={platform: _effect(platform, path, pattern) for platform in Platform},
    )


def _effect(platform: Platform, path: str, pattern: str) -> Effect:
    acted_on = EFFECTS[platform]
    whole = path in acted_on or pattern in acted_on
    return Effect(
        acted_on=whole,
        keys=() if whole else _keys(f"{path}.", acted_on),
        given="" if whole else _text(GIVEN[platform].get(path)),
    )


def _keys(before: str, acted_on: frozenset[str]) -> tuple[str, ...]:
    """Of a map with keys that have an effect and others that have none, the former."""
    found = {one.removeprefix(before) for one in acted_on if one.startswith(before)}
    return tuple(sorted({key.partition(".")[0] for key in found}))


def _inside(path: str, annotation: Any) -> tuple[str, Any]:  # noqa: ANN401 - any annotation
    """Follow lists, maps and choices with null to what they hold."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _inside(path, arguments[0])
    if origin in {Union, UnionType}:
        inner = [one for one in arguments if one is not NoneType]
        return _inside(path, inner[0]) if len(inner) == 1 else (path, annotation)
    if origin is tuple and arguments[-1] is Ellipsis:
        found, inner_type = _inside(f"{path}[]", arguments[0])
        return (found, inner_type) if _is_section(inner_type) else (path, annotation)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _inside(f"{path}.*", arguments[1])
    return path, annotation


def _is_section(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Section)


def _default(info: FieldInfo) -> str:
    return "required" if info.is_required() else _text(info.get_default(call_default_factory=True))


def _text(value: object) -> str:
    """As YAML has it; nothing for what is empty or absent."""
    if isinstance(value, bool):
        return str(value).lower()
    return (
        "" if value is None or value in ("", (), {}) or isinstance(value, BaseModel) else f"{value}"
    )
