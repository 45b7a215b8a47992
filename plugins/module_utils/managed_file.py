"""Files that a module owns as a whole: compared, written in one rename, and shown without keys."""

from __future__ import annotations

import contextlib
import grp
import hashlib
import os
import pwd
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_conf, redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ansible.module_utils.basic import AnsibleModule


class HostError(Exception):
    """The host is not as it must be, or refuses a change: the text says what to do."""


@dataclass(frozen=True)
class ManagedFile:
    """Mode and owner are as given; `keep` leaves those of an existing file as they are."""

    path: str
    content: str = field(repr=False)
    mode: int = 0o644
    owner: str = "root"
    keep: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content.encode()).hexdigest()


def read(path: str) -> str:
    """Give the file's text, "" when it is missing."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return ""


def difference(files: Iterable[ManagedFile]) -> list[ManagedFile]:
    """Choose the files whose text, mode or owner is not as wanted."""
    return [file for file in files if not _is_same(file)]


def write(file: ManagedFile) -> None:
    """Replace the file at once: a reader, or a power cut, sees the old text or the new."""
    target = Path(file.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as stream:
            user, group, mode = _attributes(file)
            os.fchown(stream.fileno(), user, group)
            os.fchmod(stream.fileno(), mode)
            stream.write(file.content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def make_folder(path: str, owner: str, mode: int) -> None:
    """Make the folder if it is missing; an existing one is its owner's affair."""
    if Path(path).is_dir():
        return
    Path(path).mkdir(parents=True, exist_ok=True)
    os.chown(path, *ids(owner))
    Path(path).chmod(mode)


def diff(files: Iterable[ManagedFile]) -> list[dict[str, str]]:
    """Describe what writing these files would change, without any key or other secret."""
    return [
        {
            "before_header": file.path,
            "after_header": file.path,
            "before": redact.redact_file(read(file.path)),
            "after": redact.redact_file(file.content),
        }
        for file in files
    ]


def ids(owner: str) -> tuple[int, int]:
    """Give the user's and the group's number; Ceph's packages make the user `ceph`."""
    try:
        return pwd.getpwnam(owner).pw_uid, grp.getgrnam(owner).gr_gid
    except KeyError:
        raise HostError(f"there is no user {owner} here: install the package ceph-common") from None


def conf_file(
    path: str, settings: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> ManagedFile:
    """Give ceph.conf with these settings in it and all other lines as they are.

    A setting without a value was not given: its line, if there is one, is its owner's. So is the
    line of an option that has a default.
    """
    text = read(path)
    there = ceph_conf.parse(text)
    wanted = ceph_conf.edit(text, _given(settings))
    lacking = {
        section: {
            name: value
            for name, value in options.items()
            if ceph_conf.option_name(name) not in there.get(section, {})
        }
        for section, options in _given(defaults or {}).items()
    }
    return ManagedFile(path, ceph_conf.edit(wanted, lacking), keep=True)


def finish(module: AnsibleModule, reconciled: Callable[[AnsibleModule], dict[str, Any]]) -> None:
    """End the module with what `reconciled` gives, or with what is wrong with the host."""
    try:
        module.exit_json(**reconciled(module))
    except HostError as error:
        module.fail_json(msg=str(error))


def _given(settings: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {
        section: {name: str(value) for name, value in (options or {}).items() if value}
        for section, options in settings.items()
    }


def _attributes(file: ManagedFile) -> tuple[int, int, int]:
    if file.keep and Path(file.path).exists():
        status = Path(file.path).stat()
        return status.st_uid, status.st_gid, status.st_mode & 0o7777
    return (*ids(file.owner), file.mode)


def _is_same(file: ManagedFile) -> bool:
    try:
        status = Path(file.path).stat()
    except FileNotFoundError:
        return False
    current = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
    return current == _attributes(file) and read(file.path) == file.content
