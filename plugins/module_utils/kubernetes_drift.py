"""What a live object lacks of the wanted one: the API server's defaults are no difference: pure."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
    APPLIED,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Object = dict[str, Any]

_FACTORS: dict[str, Decimal] = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    "k": Decimal(1000),
    **{unit: Decimal(1000) ** (power + 2) for power, unit in enumerate("MGTPE")},
    **{f"{unit}i": Decimal(1024) ** (power + 1) for power, unit in enumerate("KMGTPE")},
}
_QUANTITY = re.compile(r"([0-9.]+)([A-Za-z]*)")
_LISTED = 3


def marked(wanted: Object) -> Object:
    """Give the object with a note of all that it is to be, as Rook notes what it last applied.

    By it a later look tells what was edited by hand, and what the object no longer is to have. A
    Secret gets no such note: annotations are shown where its data is not.
    """
    if wanted["kind"] == "Secret":
        return wanted
    metadata = dict(wanted["metadata"])
    text = json.dumps(_noted(wanted), sort_keys=True, separators=(",", ":"))
    own = {**(metadata.get("annotations") or {}), APPLIED: text}
    return {**wanted, "metadata": {**metadata, "annotations": own}}


def _noted(wanted: Object) -> Object:
    """An address is only asked for where it was lost: it is no part of what a Service is to be."""
    spec = {key: value for key, value in (wanted.get("spec") or {}).items() if key != "clusterIP"}
    return {**wanted, "spec": spec} if spec else wanted


def applied(live: Mapping[str, Any]) -> Object | None:
    """Give what we last applied to an object, None where somebody else made it."""
    text = (live["metadata"].get("annotations") or {}).get(APPLIED)
    try:
        found = json.loads(text or "null")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def edited(live: Mapping[str, Any]) -> list[str]:
    """Name the fields that somebody changed since we last applied them."""
    wanted = applied(live)
    if wanted is None:
        return []
    body = {key: value for key, value in wanted.items() if key != "metadata"}
    names = [part for part in ("labels", "annotations") if wanted["metadata"].get(part)]
    kept = {part: wanted["metadata"][part] for part in names}
    found = differences(live, {**body, "metadata": kept})
    return [path for path in found if path != ".spec.selector"]


def differences(live: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Name the fields of a `marked` object that are not so in the live one."""
    return list(_differences(live, wanted, ""))


def unlike(live: Mapping[str, Any], wanted: Object) -> list[str]:
    """Name what a live object has otherwise than it is to be now, our note of it put last.

    What it is no longer to have shows in that note alone. A selector can never be changed.
    """
    found = differences(live, marked(wanted))
    note = f".metadata.annotations.{APPLIED}"
    shown = [path for path in found if path != note and not path.startswith(".spec.selector")]
    return shown or [path for path in found if path == note]


def template_differs(live: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Name what only new pods bring in."""
    theirs, ours = (one["spec"]["template"] for one in (live, wanted))
    return [f"spec.template{path}" for path in _differences(theirs, ours, "")]


def complaints(kind: str, names: Sequence[str], live: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say which objects are gone or were edited by hand; `live` are those that there are."""
    found = []
    for name in names:
        if name not in live:
            found.append(f"{kind} {name}: missing")
        elif paths := edited(live[name]):
            found.append(f"{kind} {name} was edited: {told(paths)}")
    return found


def told(paths: list[str]) -> str:
    more = f" and {len(paths) - _LISTED} more" if len(paths) > _LISTED else ""
    return ", ".join(path.lstrip(".") for path in paths[:_LISTED]) + more


def _differences(live: Any, wanted: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    if hasattr(wanted, "items"):
        held = live if hasattr(live, "items") else {}
        for key, value in wanted.items():
            yield from _differences(held.get(key), value, f"{path}.{key}")
    elif isinstance(wanted, (list, tuple)):
        yield from _listed(live, wanted, path)
    elif not _same(live, wanted):
        yield path


def _listed(live: Any, wanted: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - JSON
    held = live or []
    if len(held) != len(wanted):
        yield path
        return
    for place, (one, other) in enumerate(zip(held, wanted)):
        yield from _differences(one, other, f"{path}[{place}]")


def _same(live: Any, wanted: Any) -> bool:  # noqa: ANN401 - JSON
    if live == wanted or (live is None and wanted in ("", False, 0)):
        return True
    if wanted is None or live is None:
        return live in (None, "", False, 0) and not wanted
    return quantity(live) is not None and quantity(live) == quantity(wanted)


def quantity(value: Any) -> Decimal | None:  # noqa: ANN401 - JSON
    """Give the number that a quantity means, such as 0.5 or 500m; None for any other text."""
    found = _QUANTITY.fullmatch(str(value))
    unit = _FACTORS.get(found[2]) if found else None
    if found is None or unit is None:
        return None
    try:
        return Decimal(found[1]) * unit
    except InvalidOperation:
        return None
