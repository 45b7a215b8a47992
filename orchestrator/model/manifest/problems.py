"""What is wrong with a manifest, said so that a person can put it right.

A rule finds something at a path of the values (`Finding`); the reader, which knows the text, makes
a `Problem` of it: file, line, field path, value, message and remedy.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

Path = tuple[str | int, ...]

_SHOWN = 60
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+|\*")
# Their values may be secrets; a message goes to logs and to the status.
_HIDDEN = ("spec.security.kms",)


class _Absent:
    """No value: the field is missing, or the message says it all."""


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a rule has to say about the value at a path."""

    path: Path
    message: str
    remedy: str = ""
    value: object = ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One sentence about one place of a manifest. Line 0 means: no text, or the text as a whole."""

    source: str
    line: int = 0
    column: int = 0
    path: str = ""
    value: str = ""
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line else self.source
        parts = [part for part in (place, self.path, self.value, self.message) if part]
        remedy = f"; remedy: {self.remedy}" if self.remedy else ""
        return ": ".join(parts) + remedy


class SpecError(Exception):
    """The manifest cannot be understood: the one terminal error, with all problems at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Sort by the place in the text."""
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def problem(finding: Finding, *, source: str, line: int = 0, column: int = 0) -> Problem:
    path = path_text(finding.path)
    return Problem(
        source=source,
        line=line,
        column=column,
        path=path,
        value="" if path.startswith(_HIDDEN) else value_text(finding.value),
        message=finding.message,
        remedy=finding.remedy,
    )


def path_text(path: Path) -> str:
    """Write a path the way people write it: spec.storage.nodes[0].name."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{value_text(part)}]"
    return text


def value_text(value: object) -> str:
    """Show a value on one line, cut when long."""
    if isinstance(value, _Absent):
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
