"""Private keys of the inventory as ssh takes them (CASES C55).

A key without its last newline, with the line ends of Windows or readable by others is refused by
ssh, each time with other words. Such a key is given to the run as a copy that is in order; the
file itself is not touched. A passphrase is never asked for.
"""

import base64
import binascii
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VARIABLES = ("ansible_ssh_private_key_file", "ansible_private_key_file")
_BEGIN, _MAGIC = "-----BEGIN ", b"openssh-key-v1\0"
_OTHERS = 0o077


class KeyRefusedError(Exception):
    """A key that cannot be used; the text says why and what to do."""


def replaced(
    variables: Mapping[str, Mapping[str, Any]], folder: Path, environment: Mapping[str, str]
) -> dict[str, str]:
    """Map host to the text of its key, for keys that ssh would refuse as they lie there.

    `folder` is that of the inventory. An agent may hold what a passphrase protects.
    """
    found = {host: _path(own, folder) for host, own in variables.items()}
    texts = {path: _text(path, environment) for path in {*found.values()} if path}
    return {host: texts[path] for host, path in found.items() if path and texts[path]}


def with_keys(
    private: Path, overlay: Mapping[str, Any] | None, keys: Mapping[str, str]
) -> Mapping[str, Any] | None:
    """`overlay` with a copy of each key for its host, in a directory that the run ends with."""
    if not keys:
        return overlay
    whole = dict((overlay or {}).get("all") or {})
    hosts = {name: dict(own) for name, own in (whole.get("hosts") or {}).items()}
    wanted = keys if not overlay else {name: keys[name] for name in keys if name in hosts}
    folder = private / "keys"
    folder.mkdir(mode=0o700)
    for number, (name, text) in enumerate(wanted.items()):
        path = folder / str(number)
        path.touch(mode=0o600)
        path.write_text(text)
        hosts.setdefault(name, {})[VARIABLES[0]] = str(path)
    return {"all": {**whole, "hosts": hosts}}


def _path(own: Mapping[str, Any], folder: Path) -> Path | None:
    value = next((str(own[name]) for name in VARIABLES if own.get(name)), "")
    value = value.replace("{{ inventory_dir }}", str(folder))
    path = Path(value).expanduser()
    return path if value and "{{" not in value and path.is_file() else None


def _text(path: Path, environment: Mapping[str, str]) -> str:
    """The text to use in place of the file, "" when ssh takes it as it is."""
    try:
        before = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return ""
    if _BEGIN not in before:
        return ""
    if _protected(before):
        if not environment.get("SSH_AUTH_SOCK"):
            raise KeyRefusedError(
                f"{path}: the key is protected by a passphrase; load it into ssh-agent, "
                "or name a key without one"
            )
        return ""
    after = before.replace("\r\n", "\n").rstrip("\n") + "\n"
    open_to_others = path.stat().st_mode & _OTHERS and path.stat().st_uid == os.getuid()
    return after if after != before or open_to_others else ""


def _protected(text: str) -> bool:
    if "ENCRYPTED" in text:
        return True
    lines = [line.strip() for line in text.splitlines()]
    body = "".join(line for line in lines if line and not line.startswith("-----"))
    try:
        raw = base64.b64decode(body, validate=True)
    except (ValueError, binascii.Error):
        return False
    if not raw.startswith(_MAGIC):
        return False
    (length,) = struct.unpack_from(">I", raw, len(_MAGIC))
    return raw[len(_MAGIC) + 4 :][:length] != b"none"
