"""Ansible's `diff` of a task as texts to compare (pure).

Modules give a file before and after, or two mappings. The result of a task that handles keys is
hidden as a whole, even whether it changed something; only how many did is known, at the end.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.model.names import HostName
from orchestrator.model.outcome import Difference


def hidden(host: HostName, count: int) -> Difference:
    """What `count` tasks of one host would change, of which nothing may be told."""
    text = f"{count} more changes, whose content is secret\n"
    return Difference(host=host, task="", subject="keys and secrets", before="", after=text)


def differences(data: Mapping[str, Any]) -> Iterator[Difference]:
    """All that a task of one host would change, from the event of its result."""
    result = data.get("res") or {}
    task = str(data.get("task", ""))
    entries = result.get("diff") or []
    host = HostName(str(data.get("host", "")))
    for subject, before, after in _parts(entries if isinstance(entries, list) else [entries]):
        yield Difference(host=host, task=task, subject=subject or task, before=before, after=after)


def _parts(entries: list[Any]) -> Iterator[tuple[str, str, str]]:
    for entry in entries:
        if not isinstance(entry, Mapping):
            continue
        before, after = _text(entry.get("before")), _text(entry.get("after"))
        if before != after:
            subject = str(entry.get("after_header") or entry.get("before_header") or "")
            yield subject, before, after


def _text(value: object) -> str:
    """Lines that compare well: a mapping is one line for each of its leaves."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value if not value or value.endswith("\n") else f"{value}\n"
    return "".join(f"{line}\n" for line in _leaves("", value))


def _leaves(name: str, value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{name} {key}".strip(), inner)
    else:
        shown = value if isinstance(value, str) else json.dumps(value)
        yield f"{name} = {shown}" if name else shown
