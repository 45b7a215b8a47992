"""What Ceph's mons would refuse of cephConfig, and what Ceph itself does not keep."""

import re
from collections.abc import Iterator, Mapping

from orchestrator.model.manifest import fields
from orchestrator.model.manifest.problems import Finding
from orchestrator.model.spec import CephClusterSpec

_TYPES = ("global", "mon", "mgr", "osd", "mds", "client")
_SECTION = re.compile(r"(?:global|(?:mon|mgr|osd|mds|client)(?:\.[^/\s]+)?)(?:/[^/:\s]+:[^/:\s]+)*")
_NEVER_STORED = frozenset({"chdir", "daemonize", "fsid", "host", "mon_host", "monmap"})
"""Those with Ceph's flag `no_mon_update` that people meet (src/common/options/global.yaml.in)."""

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


def refusals(spec: CephClusterSpec) -> Iterator[Finding]:
    """`ceph config set` would fail in the middle of a run, for a section or for an option."""
    for field, sections in (
        ("cephConfig", spec.ceph_config),
        ("cephConfigFromSecret", spec.ceph_config_from_secret),
    ):
        for section, options in sections.items():
            if not _SECTION.fullmatch(section):
                yield Finding((field, section), "is no section of Ceph's options", _meant(section))
            yield from _not_stored(field, section, options)


def _meant(section: str) -> str:
    near = fields.closest(section, _TYPES)
    forms = f"use {', '.join(_TYPES)}, an id as in osd.3, or a mask as in osd/class:ssd"
    return f"did you mean {near}?" if near else forms


def _not_stored(field: str, section: str, options: Mapping[str, object]) -> Iterator[Finding]:
    for name in options:
        if re.sub(r"[ -]", "_", name) in _NEVER_STORED:
            path = (field, section, name)
            yield Finding(path, "is an option that Ceph's mons do not store", "leave it out")


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
