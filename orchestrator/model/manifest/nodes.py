"""A manifest's values with the place of each: what a message needs to name a line."""

from dataclasses import dataclass, field

from orchestrator.model.manifest.problems import Path
from orchestrator.model.manifest.scalars import Value


@dataclass(slots=True, kw_only=True)
class Node:
    """One value of the text. `size` counts the values it stands for, aliases included."""

    line: int
    column: int
    size: int = 1


@dataclass(slots=True, kw_only=True)
class Scalar(Node):
    value: Value
    text: str
    plain: bool


@dataclass(slots=True, kw_only=True)
class Items(Node):
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Fields(Node):
    """A mapping; `keys` holds where each key stands."""

    values: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    merged: list[Node] = field(default_factory=list)


def plain(node: Node) -> object:
    """Give the bare value. An explicit null is absent: its key goes."""
    match node:
        case Fields(values=values):
            pairs = ((key, plain(value)) for key, value in values.items())
            return {key: value for key, value in pairs if value is not None}
        case Items(items=items):
            return tuple(plain(item) for item in items)
        case Scalar(value=value):
            return value
    raise TypeError(f"not a node: {node!r}")


def place(node: Node, path: Path) -> tuple[int, int]:
    """Find line and column of the field at a path, or of the nearest one above it."""
    line, column = node.line, node.column
    for part in path:
        match node:
            case Fields(values=values, keys=keys) if part in values:
                line, column = keys[str(part)]
                node = values[str(part)]
            case Items(items=items) if isinstance(part, int) and part < len(items):
                node = items[part]
                line, column = node.line, node.column
            case _:
                break
    return line, column
