"""What the watch shows of objects, and which of it is news (pure).

A watch repeats itself, tells of our own writes, and after a gap shows an object of the same name
that is another one. What counts is compared here, once for each kind (CASES C45).
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from orchestrator.model.names import ClusterKey

SKIP_LABEL = "ceph.rook.io/do-not-reconcile"
CLUSTER_LABEL = "rook_cluster"
MON_ADDRESS = "network.rook.io/mon-ip"
"""The annotation by which a node gives its mons another address."""

Raw = Mapping[str, Any]
View = Callable[[Raw], Hashable]


class News(StrEnum):
    """What became of an object since it was last seen."""

    NONE = "none"
    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(slots=True)
class Sightings:
    """What was last seen of each object of a kind, as far as `view` cares for it."""

    view: View
    known: dict[tuple[str, str, str], Hashable] = field(default_factory=dict)

    def seen(self, raw: Raw) -> News:
        """An object is there; the same view of it again is no news."""
        name, view = identity(raw), self.view(raw)
        before = self.known.get(name)
        self.known[name] = view
        if before is None:
            return News.ADDED
        return News.NONE if before == view else News.CHANGED

    def gone(self, raw: Raw) -> News:
        """An object is there no more; that it went is told once."""
        return News.NONE if self.known.pop(identity(raw), None) is None else News.DELETED


def identity(raw: Raw) -> tuple[str, str, str]:
    """Namespace, name and uid: one made anew under an old name is another object."""
    meta = _mapping(raw, "metadata")
    return _text(meta, "namespace"), _text(meta, "name"), _text(meta, "uid")


def identity_text(raw: Raw) -> str:
    """The same as one text, which is how the informer's cache tells objects apart."""
    return "/".join(identity(raw))


@dataclass(frozen=True, slots=True)
class ClusterView:
    """What people say of a CephCluster; its status is ours and no news."""

    generation: int
    deleting: bool
    skipped: bool
    labels: tuple[tuple[str, str], ...]
    annotations: tuple[tuple[str, str], ...]


def cluster_view(raw: Raw) -> ClusterView:
    """A field that is missing or of another type counts as empty: servers send both."""
    meta = _mapping(raw, "metadata")
    labels = _mapping(meta, "labels")
    generation = meta.get("generation")
    return ClusterView(
        generation=generation if isinstance(generation, int) else 0,
        deleting=bool(meta.get("deletionTimestamp")),
        skipped=SKIP_LABEL in labels,
        labels=_pairs(labels),
        annotations=_pairs(_mapping(meta, "annotations")),
    )


def stops_run(before: ClusterView, now: ClusterView) -> bool:
    """Whether a run for `before` is for something that is not asked for any more."""
    return (
        now.generation != before.generation
        or now.deleting != before.deleting
        or (now.skipped and not before.skipped)
    )


def node_view(raw: Raw) -> Hashable:
    """What placement asks of a node, and whether it is ready; heartbeats are no news."""
    meta, spec, status = (_mapping(raw, name) for name in ("metadata", "spec", "status"))
    ready = [
        (_text(one, "type"), _text(one, "status"))
        for one in _items(status, "conditions")
        if one.get("type") == "Ready"
    ]
    taints = [
        tuple(_text(one, name) for name in ("key", "value", "effect"))
        for one in _items(spec, "taints")
    ]
    addresses = [(_text(one, "type"), _text(one, "address")) for one in _items(status, "addresses")]
    return (
        _pairs(_mapping(meta, "labels")),
        _text(_mapping(meta, "annotations"), MON_ADDRESS),
        bool(spec.get("unschedulable")),
        tuple(sorted(taints)),
        tuple(ready),
        tuple(sorted(addresses)),
    )


def owned_view(raw: Raw) -> Hashable:
    """What is ours of an object of ours, from its metadata alone.

    A Deployment or a budget has a generation, which moves with its spec and not with its status.
    Secrets, ConfigMaps and Services have none: there each version is a new content.
    """
    meta = _mapping(raw, "metadata")
    generation = meta.get("generation")
    version = generation if isinstance(generation, int) else _text(meta, "resourceVersion")
    return (version, bool(meta.get("deletionTimestamp")), _pairs(_mapping(meta, "labels")))


def owner_of(raw: Raw) -> ClusterKey | None:
    """The CephCluster that owns an object."""
    meta = _mapping(raw, "metadata")
    for one in _items(meta, "ownerReferences"):
        if one.get("kind") == "CephCluster":
            return ClusterKey(_text(meta, "namespace"), _text(one, "name"))
    return None


def _mapping(raw: Raw, name: str) -> Raw:
    found = raw.get(name)
    return found if isinstance(found, Mapping) else {}


def _items(raw: Raw, name: str) -> list[Raw]:
    """A list of objects; `null` is an empty one."""
    found = raw.get(name)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _text(raw: Raw, name: str) -> str:
    found = raw.get(name)
    return found if isinstance(found, str) else ""


def _pairs(raw: Raw) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((str(name), str(value)) for name, value in raw.items()))
