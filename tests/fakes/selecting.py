"""Verdicts on devices of one host, for tests that care about a manifest's storage section."""

from typing import Any

from orchestrator.model.decisions import Decision, State
from orchestrator.model.facts import Device, Host
from orchestrator.planning import nodes, selection
from orchestrator.planning.selectors import Selector
from tests.fakes import facts

ALL = {"useAllNodes": True, "useAllDevices": True}


def selector_of(storage: dict[str, Any], host: Host) -> Selector | None:
    return nodes.assign(facts.spec(storage=storage), [host]).selectors.get(host.name)


def decisions(storage: dict[str, Any], *disks: Device, **host: Any) -> tuple[Decision, ...]:
    found = facts.host("store-a", devices=disks, **host)
    return selection.decide(found, selector_of(storage, found), facts.OURS)


def selected(storage: dict[str, Any], *disks: Device, **host: Any) -> str:
    found = decisions(storage, *disks, **host)
    return " ".join(one.disk.name for one in found if one.state is State.SELECTED)


def codes(storage: dict[str, Any], *disks: Device, **host: Any) -> dict[str, str]:
    return {one.disk.name: one.code for one in decisions(storage, *disks, **host)}


def verdict(device: Device, storage: dict[str, Any] = ALL, **host: Any) -> Decision:
    (found,) = decisions(storage, device, **host)
    return found
