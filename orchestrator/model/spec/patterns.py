"""Regular expressions as Rook reads them.

Rook is written in Go, whose engine is RE2. A filter that Python's `re` accepts but RE2 refuses
(look-around, back-references) would select other disks in Kubernetes than on bare hosts, or none;
so the same engine is used here, both to check a pattern and to search with it.
"""

import re
from functools import lru_cache
from typing import Protocol

import re2

_SIGNS = re.compile(r"[\^$*?|\\()\[\]{}]")


class _Compiled(Protocol):
    def search(self, text: str) -> object | None: ...


class PatternError(ValueError):
    """A pattern that RE2 refuses, with RE2's own reason."""


def check(pattern: str) -> None:
    """Refuse what Rook's engine would refuse."""
    _compiled(pattern)


def search(pattern: str, text: str) -> bool:
    """Tell whether the pattern is found anywhere in the text: a search, never a full match."""
    return _compiled(pattern).search(text) is not None


def resembles(text: str) -> bool:
    """Tell whether a text that is taken literally was probably meant as a pattern."""
    return _SIGNS.search(text) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> _Compiled:
    options = re2.Options()
    options.log_errors = False
    try:
        compiled: _Compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise PatternError(_reason(error)) from None
    return compiled


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else "cannot be compiled"
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
