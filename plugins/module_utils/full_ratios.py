"""The ratios at which OSDs count as full, as the OSD map has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

KINDS = ("nearfull", "backfillfull", "full")
"""From the lowest to the highest; Ceph calls any other order an error."""

_DIGITS = 6


def ratios(dump: Mapping[str, Any]) -> dict[str, float]:
    """Give them as they were set."""
    return {kind: exact(dump[f"{kind}_ratio"]) for kind in KINDS}


def exact(value: Any) -> float:  # noqa: ANN401 - JSON
    """Round off what Ceph's short numbers add: 0.85 comes back as 0.8500000238418579."""
    return round(float(value), _DIGITS)
