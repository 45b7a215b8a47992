"""The record of what was set up for a daemon here, and what changed since behind its back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path("/var/lib/ceph-orchestrator")


@dataclass(frozen=True)
class Record:
    """`text` is the opaque hash of the description that was applied; empty: never by us."""

    text: str = ""
    files: dict[str, str] = field(default_factory=dict)
    damage: str = ""

    def drifted(self) -> list[str]:
        found = [f"{path}: {state}" for path, state in _states(self.files) if state]
        return [*([self.damage] if self.damage else []), *found]


def path_of(kind: str, daemon_id: str) -> Path:
    return FOLDER / f"{kind}.{daemon_id}.json"


def identities() -> set[tuple[str, str]]:
    """List type and id of every record."""
    found = {path.name[: -len(".json")].partition(".")[::2] for path in FOLDER.glob("*.*.json")}
    return {(kind, daemon_id) for kind, daemon_id in found if kind in ("mon", "mgr", "osd")}


def read(kind: str, daemon_id: str) -> Record:
    path = path_of(kind, daemon_id)
    try:
        return _parsed(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError) as error:
        return Record(damage=f"{path}: unreadable ({error})")


def _parsed(document: Any) -> Record:  # noqa: ANN401 - JSON
    if not isinstance(document, dict) or not isinstance(document.get("files", {}), dict):
        raise ValueError("not a record")  # noqa: TRY004 - damaged content, as broken JSON is
    files = {str(path): str(digest) for path, digest in document.get("files", {}).items()}
    return Record(text=str(document.get("record") or ""), files=files)


def _states(files: dict[str, str]) -> list[tuple[str, str]]:
    return [(path, _state(Path(path), digest)) for path, digest in sorted(files.items())]


def _state(path: Path, digest: str) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"unreadable ({error.strerror})"
    return "" if hashlib.sha256(content).hexdigest() == digest else "changed"
