"""Names of daemons by their place, as Rook counts: a ... z, aa, ab ..."""

from __future__ import annotations

NO_PLACE = -1
"""What a name that is not made of letters has."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def letter(index: int) -> str:
    """Give the name at a place: 0 is a, 25 is z, 26 is aa."""
    name = ""
    index += 1
    while index > 0:
        index, rest = divmod(index - 1, len(_LETTERS))
        name = _LETTERS[rest] + name
    return name


def place(name: str) -> int:
    """Give the place of a name, and `NO_PLACE` for one that nobody here gives."""
    found = 0
    for one in name:
        if one not in _LETTERS:
            return NO_PLACE
        found = found * len(_LETTERS) + _LETTERS.index(one) + 1
    return found - 1
