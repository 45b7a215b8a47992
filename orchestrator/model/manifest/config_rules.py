"""Warnings about options of cephConfig that Ceph itself does not keep."""

from collections.abc import Iterator

from orchestrator.model.manifest.problems import Finding
from orchestrator.model.spec import CephClusterSpec

_OVERRIDE = "osd_mclock_override_recovery_settings"
_MCLOCKS = frozenset(
    {
        "osd_max_backfills",
        "osd_recovery_max_active",
        "osd_recovery_max_active_hdd",
        "osd_recovery_max_active_ssd",
    }
)
"""Limits that the scheduler mClock sets itself: an OSD takes another value out of the store."""


def taken_back(spec: CephClusterSpec) -> Iterator[Finding]:
    """Such an option would be set by each run and never be there (seen with Ceph 20)."""
    named = {name: value for values in spec.ceph_config.values() for name, value in values.items()}
    if named.get(_OVERRIDE) == "true" or named.get("osd_op_queue") == "wpq":
        return
    for section, values in spec.ceph_config.items():
        for name in values:
            if name.replace(" ", "_") in _MCLOCKS:
                yield Finding(
                    ("cephConfig", section, name),
                    "is taken back by OSDs of Ceph 17 and later, whose scheduler sets it itself",
                    f'set {_OVERRIDE}: "true" beside it, or leave it out',
                    values[name],
                )
