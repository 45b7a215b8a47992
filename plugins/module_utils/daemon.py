"""A daemon as the roles describe it, and what systemd needs to have for it: pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import ManagedFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RECORDS = "/var/lib/ceph-orchestrator"
_UNITS = "/etc/systemd/system"
LIMITS = {
    "memory_limit": {"type": "int", "default": 0},
    "cpu_limit": {"type": "int", "default": 0},
}
"""What modules take for `limits`."""

_DROP_IN = """\
# Written by the role ceph_orchestrator.ceph.daemon: what is changed here by hand is undone.
[Unit]
# After a power cut the peers come back minutes apart: try for longer than the package does.
StartLimitIntervalSec=30min
StartLimitBurst=100

[Service]
"""


@dataclass(frozen=True)
class Step:
    """A command; it is due as long as the path that it `creates` is missing.

    With `staging` the command writes into that folder, whose entries are then moved beside it, the
    one that the step `creates` last: a step that was cut off is due again.
    """

    argv: tuple[str, ...]
    creates: str
    staging: str = ""


@dataclass(frozen=True)
class Daemon:
    """What a role says of one daemon; nothing in it knows the supervisor."""

    type: str
    id: str
    record: str
    program: str
    data_dir: str
    owner: str = "ceph"
    init: tuple[Step, ...] = ()
    before_start: tuple[Step, ...] = ()
    files: tuple[ManagedFile, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    resources: tuple[tuple[str, str], ...] = ()
    data: str = "keep"
    restart: bool = True
    restart_on: str = ""

    @property
    def name(self) -> str:
        return f"{self.type}.{self.id}"

    @property
    def unit(self) -> str:
        return f"ceph-{self.type}@{self.id}.service"

    @property
    def target(self) -> str:
        return f"ceph-{self.type}.target"

    @property
    def record_path(self) -> str:
        return f"{RECORDS}/{self.name}.json"

    @property
    def process(self) -> str:
        """Give a hash of all that only a restart brings into the running process."""
        more = (self.restart_on,) if self.restart_on else ()
        return hashlib.sha256(repr((*self.environment, *more)).encode()).hexdigest()

    def owned_files(self) -> tuple[ManagedFile, ...]:
        return (*self.files, self.drop_in())

    def drop_in(self) -> ManagedFile:
        lines = [f'Environment="{quoted(f"{name}={value}")}"' for name, value in self.environment]
        lines += limits(dict(self.resources))
        if self.before_start:
            # The package's own check fails while the data that these put there is missing.
            lines += ["ExecStartPre=", *(_exec(step.argv) for step in self.before_start)]
        path = f"{_UNITS}/{self.unit}.d/orchestrator.conf"
        return ManagedFile(path, _DROP_IN + "".join(f"{line}\n" for line in lines))

    def record_file(self) -> ManagedFile:
        """Give the note by which a later look tells what was set up here."""
        content = {
            "record": self.record,
            "process": self.process,
            "restart_on": self.restart_on,
            "environment": dict(self.environment),
            "resources": dict(self.resources),
            "files": {file.path: file.sha256 for file in self.owned_files()},
        }
        return ManagedFile(self.record_path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def limits(resources: Mapping[str, str]) -> list[str]:
    """Give systemd's settings for what a daemon may use: bytes, and thousandths of a CPU.

    They hold for the running process as soon as systemd has read them: no restart is needed.
    """
    memory, cpu = int(resources.get("memory_limit", 0)), int(resources.get("cpu_limit", 0))
    return [
        *([f"MemoryMax={memory}"] if memory else []),
        *([f"CPUQuota={max(1, round(cpu / 10))}%"] if cpu else []),
    ]


def parse(entry: Mapping[str, Any], files: Sequence[ManagedFile] = ()) -> Daemon:
    """Read one description as the module was given it; `files` are common to all of them."""
    return Daemon(
        type=entry["type"],
        id=entry["id"],
        record=entry["record"],
        program=entry["program"] or f"ceph-{entry['type']}",
        data_dir=entry["data_dir"],
        owner=entry["owner"],
        init=tuple(_step(step) for step in entry["init"]),
        before_start=tuple(_step(step) for step in entry["before_start"]),
        files=tuple(files),
        environment=pairs(entry["environment"]),
        settings=pairs(entry["settings"]),
        resources=tuple(pair for pair in pairs(entry.get("resources")) if pair[1] != "0"),
        data=entry["data"],
        restart=entry.get("restart", True),
        restart_on=entry.get("restart_on", ""),
    )


def file(entry: Mapping[str, Any]) -> ManagedFile:
    return ManagedFile(entry["path"], entry["content"], int(entry["mode"], 8))


def _step(step: Mapping[str, Any]) -> Step:
    argv = tuple(str(word) for word in step["argv"])
    staging = str(PurePosixPath(step["staging"])) if step["staging"] else ""
    return Step(argv, step["creates"], staging)


def pairs(values: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 - what a record held
    """Sort names and values; what is no mapping has none."""
    entries = values.items() if isinstance(values, dict) else ()
    return tuple(sorted((str(name), str(value)) for name, value in entries))


def _exec(argv: tuple[str, ...]) -> str:
    # In a command, unlike in a value, systemd replaces what follows a dollar.
    return "ExecStartPre=" + " ".join('"' + quoted(word).replace("$", "$$") + '"' for word in argv)


def quoted(word: str) -> str:
    for special, plain in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%")):
        word = word.replace(special, plain)
    return word
