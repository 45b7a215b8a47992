"""Which fields the spec knows at a path, for remedies that name the field that was meant."""

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from orchestrator.model.manifest.problems import Path

# How alike two names must be; lower and unrelated fields are proposed.
_ALIKE = 0.7


def names_at(model: type[BaseModel], path: Path) -> tuple[str, ...]:
    """Give the fields of the object at a path; none when it is a free map or no object."""
    annotation: object = model
    for part in path:
        annotation = _step(_bare(annotation), part)
    bare = _bare(annotation)
    return tuple(alias for alias, _ in _fields(bare)) if _is_model(bare) else ()


def closest(name: str, candidates: Collection[str]) -> str:
    """Give the candidate that was probably meant, or an empty text."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    found = difflib.get_close_matches(name.lower().replace("_", ""), by_lower, 1, _ALIKE)
    return by_lower[found[0]] if found else ""


def _step(annotation: object, part: str | int) -> object:
    if _is_model(annotation):
        return dict(_fields(annotation)).get(str(part))
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if origin is tuple and arguments:
        return arguments[0]
    if isinstance(origin, type) and issubclass(origin, Mapping) and arguments:
        return arguments[1]
    return None


def _bare(annotation: object) -> object:
    """Take `Annotated` and `| None` off."""
    while hasattr(annotation, "__metadata__"):
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is None or type(None) not in get_args(annotation):
        return annotation
    return _bare(next(one for one in get_args(annotation) if one is not type(None)))


def _is_model(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _fields(model: Any) -> Iterable[tuple[str, object]]:  # noqa: ANN401 (narrowed by _is_model)
    return ((info.alias or name, info.annotation) for name, info in model.model_fields.items())
