"""The nodes of a Kubernetes cluster as the hosts of an inventory (pure).

A host is known by the label kubernetes.io/hostname, as Rook's manifests name nodes, or by the one
of Rook's setting. One that is not ready is unknown and not empty; one that is cordoned takes
nothing new, as its taint says.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.ansible.facts import Member
from orchestrator.model.facts import Taint
from orchestrator.model.names import HostName
from orchestrator.model.operator_settings import OperatorSettings
from orchestrator.model.outcome import Failure

USUAL = OperatorSettings()
NODE_CLASS = "osd.rook.io/device-class"
_UNITS = {"Ki": 1024, "Mi": 1024**2, "Gi": 1024**3}

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What of a node is needed: `trouble` says why nothing can be told of it, or is empty.

    `object_name` is the node's own, which need not be that of its label.
    """

    member: Member
    object_name: str
    trouble: str
    memory_bytes: int
    boot: str


def read(raw: Iterable[Raw], settings: OperatorSettings = USUAL) -> tuple[Node, ...]:
    """All nodes, in the order of their names."""
    found = (_node(one, settings) for one in raw)
    return tuple(sorted(found, key=lambda node: node.member.name))


def _node(raw: Raw, settings: OperatorSettings) -> Node:
    metadata, status = raw["metadata"], raw.get("status") or {}
    labels = {str(key): str(value) for key, value in (metadata.get("labels") or {}).items()}
    info = status.get("nodeInfo") or {}
    return Node(
        member=Member(
            name=HostName(labels.get(settings.hostname_label) or str(metadata["name"])),
            address=_address(status),
            labels=labels,
            taints=_taints(raw),
            allow_loop_devices=settings.allow_loop_devices,
            pods=True,
        ),
        object_name=str(metadata["name"]),
        trouble=_trouble(status),
        memory_bytes=_bytes(str((status.get("capacity") or {}).get("memory") or "0")),
        boot=f"{metadata.get('uid', '')} {info.get('bootID', '')}",
    )


def _address(status: Raw) -> str:
    """Rook's choice: the internal one, or else the external one."""
    listed = status.get("addresses") or ()
    found = {str(one["type"]): str(one["address"]) for one in reversed(listed)}
    return found.get("InternalIP") or found.get("ExternalIP") or ""


def _taints(raw: Raw) -> tuple[Taint, ...]:
    listed = (raw.get("spec") or {}).get("taints") or ()
    return tuple(
        Taint(key=str(one["key"]), effect=str(one["effect"]), value=str(one.get("value") or ""))
        for one in listed
    )


def _trouble(status: Raw) -> str:
    ready = [one for one in status.get("conditions") or () if one.get("type") == "Ready"]
    if not ready:
        return "the node's kubelet has not told yet whether it is ready"
    if ready[0].get("status") == "True":
        return ""
    why = ready[0].get("message") or ready[0].get("reason") or "no reason was given"
    return f"the node is not ready: {why}"


def _bytes(quantity: str) -> int:
    number, unit = quantity[:-2], quantity[-2:]
    if unit in _UNITS and number.isdigit():
        return int(number) * _UNITS[unit]
    return int(quantity) if quantity.isdigit() else 0


def failures(nodes: Iterable[Node]) -> tuple[Failure, ...]:
    """What stands for the answers of nodes of which nothing is known."""
    return tuple(
        Failure(host=node.member.name, task="", message=node.trouble, unreachable=True)
        for node in nodes
        if node.trouble
    )


def signature(node: Node, asked: Mapping[str, Any]) -> str:
    """What the last look into a node's disks depended on: another one asks for a new look.

    That is what the manifest says of its disks (`asked`), and the node with its boot.
    """
    own = {key: value for key, value in node.member.labels.items() if key == NODE_CLASS}
    text = json.dumps([asked, node.boot, own], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
