"""Names that other modules pass around, as types, so that a host is never taken for a daemon."""

from dataclasses import dataclass
from typing import NewType

HostName = NewType("HostName", str)
DaemonName = NewType("DaemonName", str)
Fsid = NewType("Fsid", str)
OsdId = NewType("OsdId", int)

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, order=True)
class ClusterKey:
    """What a reconcile pass is asked for: one cluster's name and nothing of its content."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


def daemon_letter(index: int) -> DaemonName:
    """Rook's name of the daemon with this index: 0 is a, 25 is z, 26 is aa."""
    if index < 0:
        raise ValueError(f"a daemon's index is at least 0, not {index}")
    letters = ""
    rest = index + 1
    while rest:
        rest, digit = divmod(rest - 1, len(_LETTERS))
        letters = _LETTERS[digit] + letters
    return DaemonName(letters)


def letter_index(name: str) -> int:
    """Give the index back; a name that is no letter name (a cluster made elsewhere) is an error."""
    if not name or not set(name) <= set(_LETTERS):
        raise ValueError(f"not a letter name: {name!r}")
    index = 0
    for letter in name:
        index = index * len(_LETTERS) + _LETTERS.index(letter) + 1
    return index - 1
