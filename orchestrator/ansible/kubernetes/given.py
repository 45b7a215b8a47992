"""Secrets that a manifest names, as the roles take them: `ceph_secrets` by name and key.

They go into the private inventory of a run and nowhere else; facts have their digests.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

DASHBOARD = "rook-ceph-dashboard-password"

Raw = Mapping[str, Any]
Values = dict[str, dict[str, str]]


def names(spec: Raw) -> tuple[str, ...]:
    """The Secrets that a spec takes values from."""
    sections = (spec.get("cephConfigFromSecret") or {}).values()
    found = [str(one["name"]) for options in sections for one in options.values()]
    dashboard = [DASHBOARD] if (spec.get("dashboard") or {}).get("enabled") else []
    return tuple(dict.fromkeys((*found, *dashboard)))


def read(spec: Raw, secret: Callable[[str], Raw | None]) -> Values:
    """The values of those that are there; what is no text is left out."""
    stored = {name: (secret(name) or {}).get("data") or {} for name in names(spec)}
    return {
        name: {str(key): text for key, raw in data.items() if (text := _text(raw)) is not None}
        for name, data in stored.items()
        if data
    }


def _text(raw: object) -> str | None:
    try:
        return base64.b64decode(str(raw), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def digests(values: Values) -> Values:
    """What they can be compared by, as the filter `digests` makes it."""
    return {
        name: {
            key: f"sha256:{hashlib.sha256(value.encode('utf-8', 'replace')).hexdigest()}"
            for key, value in keys.items()
        }
        for name, keys in values.items()
    }
