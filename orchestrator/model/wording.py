"""Lists and numbers in sentences, one way everywhere (pure)."""

from collections.abc import Sequence


def some(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`: the first `most` names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def counted(number: int, noun: str) -> str:
    """`1 run`, `2 runs`; `noun` is one that an s makes a plural."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
