"""Reads and edits ceph.conf: all lines that were not asked for stay as their owner wrote them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SECTION = re.compile(r"^\s*\[\s*([^]]*?)\s*\]")
_OPTION = re.compile(r"^\s*([^=#;\[][^=]*?)\s*=\s*(.*)$")
_COMMENT = re.compile(r"(?<!\\)\s*[#;].*$")


class Entry(NamedTuple):
    """One logical line: physical lines joined by a closing backslash."""

    text: str
    section: str
    name: str
    value: str


def option_name(name: str) -> str:
    """`mon host`, `mon-host` and `mon_host` are one option to Ceph."""
    return re.sub(r"[\s_-]+", "_", name.strip()).lower()


def parse(text: str) -> dict[str, dict[str, str]]:
    """Give section → option → value; the last of several wins, as in Ceph."""
    sections: dict[str, dict[str, str]] = {}
    for entry in _entries(text):
        if entry.section:
            section = sections.setdefault(entry.section, {})
            if entry.name:
                section[entry.name] = entry.value
    return sections


def edit(text: str, settings: Mapping[str, Mapping[str, str | None]]) -> str:
    """Set options (None removes one) and leave everything else byte for byte."""
    wanted = {
        section: {option_name(name): value for name, value in options.items()}
        for section, options in settings.items()
    }
    lines: list[str] = []
    last_line: dict[str, int] = {}
    present: set[tuple[str, str]] = set()
    for entry in _entries(text):
        line = _edited(entry, wanted.get(entry.section, {}))
        present.add((entry.section, entry.name))
        if line:
            lines.append(line)
        if entry.section and entry.text.strip():
            last_line[entry.section] = len(lines)
    return _with_missing(lines, last_line, _missing(wanted, present))


def without(text: str, settings: Mapping[str, Iterable[str]]) -> str:
    """Remove these options of these sections, and the head of one that has nothing else left."""
    shorter = edit(text, {name: dict.fromkeys(options) for name, options in settings.items()})
    if shorter == text:
        return text
    held = {entry.section for entry in _entries(shorter) if _says_something(entry)}
    return "".join(
        entry.text
        for entry in _entries(shorter)
        if entry.section not in settings or entry.section in held
    )


def says_something(text: str) -> bool:
    """Say whether there is more than heads of sections and blank lines."""
    return any(_says_something(entry) for entry in _entries(text))


def _says_something(entry: Entry) -> bool:
    return bool(entry.text.strip()) and not _SECTION.match(entry.text)


def _edited(entry: Entry, options: Mapping[str, str | None]) -> str:
    if not entry.name or entry.name not in options:
        return entry.text
    value = options[entry.name]
    if value is None:
        return ""
    return entry.text if value == entry.value else f"{entry.name} = {value}\n"


def _missing(
    wanted: Mapping[str, Mapping[str, str | None]], present: set[tuple[str, str]]
) -> dict[str, list[str]]:
    return {
        section: [
            f"{name} = {value}\n"
            for name, value in options.items()
            if value is not None and (section, name) not in present
        ]
        for section, options in wanted.items()
    }


def _with_missing(
    lines: list[str], last_line: Mapping[str, int], missing: Mapping[str, list[str]]
) -> str:
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    existing = [section for section in missing if section in last_line]
    for section in sorted(existing, key=lambda name: last_line[name], reverse=True):
        lines[last_line[section] : last_line[section]] = missing[section]
    for section, added in missing.items():
        if added and section not in last_line:
            lines += [*(["\n"] if lines else []), f"[{section}]\n", *added]
    return "".join(lines)


def _entries(text: str) -> Iterator[Entry]:
    section, pending = "", ""
    for line in text.splitlines(keepends=True):
        pending += line
        if line.rstrip("\r\n").endswith("\\"):
            continue
        entry = _entry(pending, section)
        section, pending = entry.section, ""
        yield entry
    if pending:
        yield _entry(pending, section)


def _entry(text: str, section: str) -> Entry:
    joined = re.sub(r"\\\r?\n\s*", "", text).rstrip()
    header = _SECTION.match(joined)
    if header:
        return Entry(text, header.group(1), "", "")
    option = _OPTION.match(joined)
    if not option:
        return Entry(text, section, "", "")
    value = _COMMENT.sub("", option.group(2)).strip()
    return Entry(text, section, option_name(option.group(1)), _unquoted(value))


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
