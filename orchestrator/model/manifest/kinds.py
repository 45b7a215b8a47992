"""The maps whose keys are kinds of daemons, in which Rook takes any key and ignores strange ones.

A mistyped one would place or limit nothing, so it is told.
"""

from collections.abc import Collection, Iterator, Mapping

from orchestrator.model.manifest import fields
from orchestrator.model.manifest.problems import Finding
from orchestrator.model.spec import CephClusterSpec

# Rook's own, in pkg/apis/ceph.rook.io/v1/keys.go and resources.go.
_KINDS = (
    "all",
    "arbiter",
    "cleanup",
    "clusterMetadata",
    "cmdreporter",
    "crashcollector",
    "dashboard",
    "exporter",
    "keyrotation",
    "mds",
    "mgr",
    "mon",
    "monitoring",
    "osd",
    "prepareosd",
    "rgw",
)
_RESOURCES = (
    "cleanup",
    "cmd-reporter",
    "crashcollector",
    "exporter",
    "fsmirror",
    "logcollector",
    "mds",
    "mgr",
    "mgr-sidecar",
    "mon",
    "osd",
    "prepareosd",
    "rbdmirror",
)
_OF_A_CLASS = "osd-"


def unknown(spec: CephClusterSpec) -> Iterator[Finding]:
    """Keys that are no kind of daemon; OSDs of any device class have resources of their own."""
    named: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("annotations", spec.annotations),
        ("labels", spec.labels),
        ("placement", spec.placement),
        ("priorityClassNames", spec.priority_class_names),
    )
    for field, values in named:
        yield from _strangers(field, values, _KINDS)
    others = [key for key in spec.resources if not key.startswith(_OF_A_CLASS)]
    yield from _strangers("resources", others, _RESOURCES)


def _strangers(field: str, keys: Collection[str], known: Collection[str]) -> Iterator[Finding]:
    for key in keys:
        if key not in known:
            near = fields.closest(key, known)
            remedy = f"did you mean {near}?" if near else f"use one of {', '.join(known)}"
            yield Finding((field, key), "is no kind of daemon: ignored", remedy)
