"""Deployments that Rook made: are they as the manifest asks, and the note that says so: pure.

Their pods run the same daemons, so they go on running. What shapes them is compared once; from then
on a change of the manifest, or an edit by hand, is told as it is for our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    Object = dict[str, Any]

OTHER = "another"
"""Stands for the settings of pods that the manifest asks to be otherwise: the next look tells."""

_POD = ("hostNetwork", "priorityClassName", "nodeSelector", "topologySpreadConstraints")
_CONTAINER = ("image", "resources")


def is_strange(live: Mapping[str, Any]) -> bool:
    """Say whether nobody of ours ever wrote this Deployment."""
    notes = live["metadata"].get("annotations") or {}
    return kubernetes_cluster.RECORD not in notes


def adopted(live: Mapping[str, Any], wanted: Object, kind: str) -> Object:
    """Give the live Deployment with our notes and nothing else changed, so that no pod restarts.

    Where its pods are otherwise than the manifest asks, the note says so, and new ones come as
    after an edit of the manifest: one mon or mgr after the other, OSDs as Ceph allows it.
    """
    notes = dict(wanted["metadata"]["annotations"])
    if differences(live, wanted, kind):
        notes[kubernetes_cluster.SETTINGS] = OTHER
    theirs = live["metadata"]
    metadata = {
        **theirs,
        "annotations": {**(theirs.get("annotations") or {}), **notes},
        "ownerReferences": wanted["metadata"].get("ownerReferences") or [],
    }
    metadata.pop("managedFields", None)
    kept = {key: value for key, value in live.items() if key not in ("metadata", "status")}
    marked = kubernetes_drift.marked({**kept, "metadata": {"annotations": notes}})
    return {
        **kept,
        "metadata": {**metadata, "annotations": {**metadata["annotations"], **_note(marked)}},
    }


def _note(marked: Object) -> Object:
    name = kubernetes_cluster.APPLIED
    return {name: marked["metadata"]["annotations"][name]}


def differences(live: Mapping[str, Any], wanted: Object, kind: str) -> list[str]:
    """Name what the manifest asks of the pods and what Rook's do not have.

    What Rook adds of its own, such as tolerations, is no difference.
    """
    held, asked = (one["spec"]["template"]["spec"] for one in (live, wanted))
    daemons = [_container(one, kind) for one in (held, asked)]
    affinity = [(one.get("affinity") or {}).get("nodeAffinity") for one in (held, asked)]
    pairs = {
        **{name: (held.get(name), asked.get(name)) for name in _POD},
        **{name: (daemons[0].get(name), daemons[1].get(name)) for name in _CONTAINER},
        "nodeAffinity": (affinity[0], affinity[1]),
    }
    missing = [one for one in asked.get("tolerations") or [] if one not in _tolerated(held)]
    found = [name for name, (one, other) in pairs.items() if _differ(one, other)]
    return found + (["tolerations"] if missing else [])


def _container(spec: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    return next((one for one in spec["containers"] if one["name"] == kind), {})


def _tolerated(spec: Mapping[str, Any]) -> list[Any]:
    return spec.get("tolerations") or []


def _differ(one: Any, other: Any) -> bool:  # noqa: ANN401 - JSON
    if not one or not other:
        return bool(one) != bool(other)
    return bool(kubernetes_drift.differences({"": one}, {"": other}))
