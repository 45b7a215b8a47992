"""The `config` maps of storage: text by Rook's schema, numbers by meaning.

Rook reads a number it cannot parse as 0 and any `encryptedDevice` but "true" as false, so a slip
gives an OSD of another shape or without encryption. Here such a value is refused.

Beside Rook's keys stand selectors of devices, named as in cephadm's drive groups: Rook ignores keys
that it does not know, so a manifest with them stays valid for it.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping

from orchestrator.model.manifest import fields
from orchestrator.model.manifest.problems import Finding, Path
from orchestrator.model.manifest.selections import configs
from orchestrator.model.spec import CephClusterSpec, sizes

_CRUSH_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_DIGITS = re.compile(r"[0-9]{1,18}")


def refusals(spec: CephClusterSpec) -> Iterator[Finding]:
    for path, config in configs(spec):
        for key, value in config.items():
            # Empty is absent, as in Rook.
            if value and key in _known(path) and (message := _known(path)[key](value)):
                remedy = f'write it as in {key}: "{_EXAMPLES[key]}", or remove it'
                yield Finding((*path, key), message, remedy, value)


def unknown_keys(spec: CephClusterSpec) -> Iterator[Finding]:
    """Warn only: old manifests carry keys that Rook itself has forgotten (storeType)."""
    for path, config in configs(spec):
        for key, value in config.items():
            if key not in _known(path):
                yield Finding((*path, key), *_unknown(path, key), value)


def _unknown(path: Path, key: str) -> tuple[str, str]:
    if key in _SELECTORS:
        where = "storage.config and in the config of nodes"
        return f"selects devices in {where} only: ignored", "move it there"
    near = fields.closest(key, _known(path))
    return "is not a setting of OSDs: ignored", f"did you mean {near}?" if near else "remove it"


def _known(path: Path) -> Mapping[str, Callable[[str], str]]:
    """A selector narrows what many devices are; of one named device it would say nothing."""
    narrows = path == ("storage", "config") or (path[1] == "nodes" and "devices" not in path)
    return {**_CHECKS, **_SELECTORS} if narrows else _CHECKS


def _count(value: str) -> str:
    if not _DIGITS.fullmatch(value):
        return "must be a whole number"
    return "" if int(value) else "must be at least 1"


def _megabytes(value: str) -> str:
    return "" if _DIGITS.fullmatch(value) else "must be a whole number of megabytes"


def _flag(value: str) -> str:
    return "" if value in {"true", "false"} else "must be true or false"


def _weight(value: str) -> str:
    return "" if _number(value) >= 0 else "must be a number of at least 0"


def _share(value: str) -> str:
    return "" if 0 <= _number(value) <= 1 else "must be a number from 0 to 1"


def _name(value: str) -> str:
    if _CRUSH_NAME.fullmatch(value):
        return ""
    return "must be a CRUSH name: letters, digits, dots, dashes and underscores"


def _size_range(value: str) -> str:
    try:
        sizes.parse(value)
    except sizes.SizeError as error:
        return str(error)
    return ""


def _bit(value: str) -> str:
    return "" if value in {"0", "1"} else 'must be "0" or "1"'


def _anything(_: str) -> str:
    return ""


def _number(text: str) -> float:
    """Give the number, or NaN, which no comparison accepts."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


_CHECKS: Mapping[str, Callable[[str], str]] = {
    "crushRoot": _name,
    "databaseSizeMB": _megabytes,
    "deviceClass": _name,
    "encryptedDevice": _flag,
    "initialWeight": _weight,
    "metadataDevice": _anything,
    "osdsPerDevice": _count,
    "primaryAffinity": _share,
    "walSizeMB": _megabytes,
}

_SELECTORS: Mapping[str, Callable[[str], str]] = {
    "limit": _count,
    "model": _anything,
    "rotational": _bit,
    "size": _size_range,
    "vendor": _anything,
}

_EXAMPLES: Mapping[str, str] = {
    "crushRoot": "default",
    "databaseSizeMB": "1024",
    "deviceClass": "ssd",
    "encryptedDevice": "true",
    "initialWeight": "1.0",
    "limit": "12",
    "osdsPerDevice": "2",
    "primaryAffinity": "0.5",
    "rotational": "1",
    "size": "1T:4T",
    "walSizeMB": "1024",
}
