"""The index of the decisions, from the title of each."""

import re
from pathlib import Path

HEAD = """\
# Decisions

Why things are as they are, one page each: what was decided, why, and what it costs.

| | |
|---|---|
"""
TITLE = re.compile(r"# (\d+)\. (.+)")


def page(folder: Path) -> str:
    """The index of a folder of decisions; ValueError for a page without its number and title."""
    return HEAD + "".join(_row(path) for path in sorted(folder.glob("[0-9]*.md")))


def _row(path: Path) -> str:
    title = path.read_text(encoding="utf-8").partition("\n")[0]
    match = TITLE.fullmatch(title)
    if not match or int(match[1]) != int(path.name.partition("-")[0]):
        raise ValueError(f"{path}: the first line is `# NUMBER. Title` with the file's number")
    return f"| {match[1]} | [{match[2]}]({path.name}) |\n"
