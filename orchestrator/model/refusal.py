"""Since when Ceph refuses that any OSD be stopped that is to restart, as the status notes it.

Runs that are hours apart count on from there: whoever waits was not restarted in between.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

FIELD = "restartsRefusedSince"
"""Below the status' `storage`."""


def noted(status: Mapping[str, Any]) -> datetime | None:
    """The beginning that a status has; one that cannot be read is as if it had none."""
    storage = status.get("storage")
    text = storage.get(FIELD) if isinstance(storage, Mapping) else None
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else None


def with_note(status: Mapping[str, Any], since: datetime | None) -> dict[str, Any]:
    """`status` with that beginning, or without any."""
    storage = status.get("storage")
    before = dict(storage) if isinstance(storage, Mapping) else {}
    others = {name: value for name, value in before.items() if name != FIELD}
    own = {FIELD: since.strftime("%Y-%m-%dT%H:%M:%SZ")} if since else {}
    after = {**others, **own}
    return dict(status) if after == before else {**status, "storage": after}
