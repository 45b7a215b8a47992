"""Devices as lsblk prints them."""

from typing import Any


def node(name: str, **fields: Any) -> dict[str, Any]:
    """One device as lsblk prints it."""
    plain = {
        "name": name,
        "kname": name,
        "path": f"/dev/{name}",
        "type": "disk",
        "size": 480103981056,
        "fstype": None,
        "pttype": None,
        "mountpoint": None,
        "mountpoints": [None],
        "ro": False,
        "rm": False,
        "rota": True,
        "model": None,
        "serial": None,
        "vendor": None,
        "maj:min": "8:0",
    }
    return {**plain, **fields}
