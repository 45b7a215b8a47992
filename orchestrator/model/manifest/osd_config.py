"""The `config` maps of storage: text by Rook's schema, numbers by meaning.

Rook reads a number it cannot parse as 0 and any `encryptedDevice` but "true" as false, so a slip
gives an OSD of another shape or without encryption. Here such a value is refused.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping

from orchestrator.model.manifest import fields
from orchestrator.model.manifest.problems import Finding
from orchestrator.model.manifest.selections import configs
from orchestrator.model.spec import CephClusterSpec

_CRUSH_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_DIGITS = re.compile(r"[0-9]{1,18}")


def refusals(spec: CephClusterSpec) -> Iterator[Finding]:
    for path, config in configs(spec):
        for key, value in config.items():
            # Empty is absent, as in Rook.
            if value and key in _CHECKS and (message := _CHECKS[key](value)):
                remedy = f'write it as in {key}: "{_EXAMPLES[key]}", or remove it'
                yield Finding((*path, key), message, remedy, value)


def unknown_keys(spec: CephClusterSpec) -> Iterator[Finding]:
    """Warn only: old manifests carry keys that Rook itself has forgotten (storeType)."""
    for path, config in configs(spec):
        for key, value in config.items():
            if key not in _CHECKS:
                near = fields.closest(key, _CHECKS)
                remedy = f"did you mean {near}?" if near else "remove it"
                yield Finding((*path, key), "is not a setting of OSDs: ignored", remedy, value)


def _count(value: str) -> str:
    if not _DIGITS.fullmatch(value):
        return "must be a whole number"
    return "" if int(value) else "must be at least 1"


def _size(value: str) -> str:
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
    "databaseSizeMB": _size,
    "deviceClass": _name,
    "encryptedDevice": _flag,
    "initialWeight": _weight,
    "metadataDevice": _anything,
    "osdsPerDevice": _count,
    "primaryAffinity": _share,
    "walSizeMB": _size,
}

_EXAMPLES: Mapping[str, str] = {
    "crushRoot": "default",
    "databaseSizeMB": "1024",
    "deviceClass": "ssd",
    "encryptedDevice": "true",
    "initialWeight": "1.0",
    "osdsPerDevice": "2",
    "primaryAffinity": "0.5",
    "walSizeMB": "1024",
}
