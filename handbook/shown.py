"""The commands that pages show, and where each is run by a test.

A block of `console` (commands behind `$`, and what they print) or `sh` (commands alone) has a
comment right before it: `<!-- run: here -->` needs no hosts, `<!-- run: lab -->` needs the lab,
`<!-- run: nodes -->` a cluster on nodes, and `<!-- run: no, REASON -->` is not run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = re.compile(r"<!-- run: (here|lab|nodes|no, \S.*) -->")
FENCE = re.compile(r"```(\w*)")
ANYTHING = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line with the lines that it is said to print; `…` stands for any text or lines."""

    text: str
    prints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of commands; `run` is what its comment says, empty where it has none."""

    page: str
    line: int
    run: str
    commands: tuple[Command, ...]


def blocks(path: Path) -> Iterator[Block]:
    """Every block of commands of a page."""
    kind, start, mark, inside = "", 0, "", [""]
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = raw.strip()
        fence = FENCE.match(line)
        if not kind and fence:
            kind, start, inside = fence[1] or "text", number, []
        elif kind and fence:
            if kind in {"console", "sh"}:
                found = tuple(_commands(kind, inside))
                yield Block(page=path.name, line=start, run=mark, commands=found)
            kind, mark = "", ""
        elif kind:
            inside.append(line)
        elif line:
            match = MARK.fullmatch(line)
            mark = match[1] if match else ""


def _commands(kind: str, lines: list[str]) -> Iterator[Command]:
    text, prints = "", list[str]()
    for line in lines:
        if kind == "sh" or line.startswith("$ "):
            if text:
                yield Command(text=text, prints=tuple(prints))
            text, prints = re.sub(r"(^|\s+)#.*", "", line.removeprefix("$ ")), []
        else:
            prints.append(line)
    if text:
        yield Command(text=text, prints=tuple(prints))


def missing(command: Command, output: str) -> str:
    """The first line that the command did not print where it should have; empty if none."""
    lines = iter([" ".join(line.split()) for line in output.splitlines()])
    for wanted in (" ".join(line.split()) for line in command.prints):
        parts = [re.escape(part) for part in wanted.split(ANYTHING)]
        pattern = re.compile(".*".join(parts))
        if wanted not in {"", ANYTHING} and not any(pattern.fullmatch(line) for line in lines):
            return wanted
    return ""
