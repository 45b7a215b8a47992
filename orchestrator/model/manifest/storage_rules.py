"""Rules of `spec.storage` that compare fields."""

from collections.abc import Iterator
from itertools import combinations

from orchestrator.model.manifest.problems import Finding
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.storage import FULL_RATIOS, Storage


def full_ratios(spec: CephClusterSpec) -> Iterator[Finding]:
    """Ceph calls it an error when a ratio is above the next one, and does not do what they say."""
    named = {name: getattr(spec.storage, name) for name in FULL_RATIOS.values()}
    given = [(name, value) for name, value in named.items() if value is not None]
    for (lower, value), (higher, limit) in combinations(given, 2):
        if value > limit:
            name, other = (str(Storage.model_fields[one].alias) for one in (lower, higher))
            yield Finding(
                ("storage", name),
                f"must not be above {other}, which is {limit:g}",
                "raise nearFullRatio, backfillFullRatio, fullRatio in this order: 0.85, 0.9, 0.95",
                value,
            )
            return
