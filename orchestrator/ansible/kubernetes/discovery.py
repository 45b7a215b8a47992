"""What a discovery daemon tells of a node's disks, and which of it asks for a look (pure).

A disk that was put to use is no news, nor is one that went: only one that came, or was emptied. As
in Rook, the daemon's word is a reason to look, and never what disks are chosen by.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_IDENTITY = ("name", "size", "type", "serial", "wwn")


@dataclass(frozen=True, slots=True)
class Discovered:
    """The devices by what tells them apart, each with whether it is empty."""

    devices: Mapping[str, bool] = field(default_factory=dict)

    def news(self, before: "Discovered") -> bool:
        """Whether there is a device that was not there `before`, or is empty and was not."""
        return any(
            name not in before.devices or (empty and not before.devices[name])
            for name, empty in self.devices.items()
        )

    def text(self) -> str:
        return json.dumps(dict(self.devices), sort_keys=True)


def parse(text: str) -> Discovered:
    """What `text` gave; nothing from any other."""
    found = _read(text)
    devices = found if isinstance(found, dict) else {}
    return Discovered({str(name): bool(empty) for name, empty in devices.items()})


def of_rook(text: str) -> Discovered:
    """From `devices` of Rook's ConfigMap local-device-<node>; what is not understood is nothing."""
    return Discovered({_name(one): bool(one.get("empty")) for one in _objects(_read(text))})


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _objects(found: object) -> Iterable[Mapping[str, Any]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _name(device: Mapping[str, Any]) -> str:
    return " ".join(str(device.get(name) or "-") for name in _IDENTITY)
