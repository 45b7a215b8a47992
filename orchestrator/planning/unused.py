"""Why a disk or a host that the manifest asks for holds no OSD: never in silence."""

from collections.abc import Iterator, Sequence

from orchestrator.model.decisions import Decision, State
from orchestrator.model.facts import Host
from orchestrator.model.plan import Reason
from orchestrator.model.spec import patterns
from orchestrator.planning.selectors import Selector

SHOWN = 8
"""Reasons or names that one message lists; a host can have hundreds of devices."""


def mistakes(decisions: Sequence[Decision]) -> Iterator[Reason]:
    """What the manifest asks of a device that can never be, each said once for a host."""
    said = set()
    for one in decisions:
        what = "" if one.code.startswith("Metadata") else f"{one.asked_by}: "
        if one.mistaken and (one.code, one.reason) not in said:
            said.add((one.code, one.reason))
            yield Reason(code=one.code, host=one.host, message=f"{what}{one.reason}")


def devices(host: Host, selector: Selector, decisions: Sequence[Decision]) -> Iterator[Reason]:
    """One notice for a host: that none of its devices is used, or which asked-for ones are not."""
    missed = [one for one in decisions if one.missed and not one.mistaken]
    if decisions and all(one.state is State.SKIPPED for one in decisions):
        yield _none_used(host, _reasons(decisions))
    elif missed:
        text = f"not used: {_reasons(missed)}"
        yield Reason(code="DevicesSkipped", host=host.name, message=text)
    yield from absent(host, selector)


def absent(host: Host, selector: Selector) -> Iterator[Reason]:
    """What is asked of a host and is not there: any device at all, and those of entries."""
    if not host.devices:
        yield _none_used(host, "it has no block devices")
    yield from _unmet(host, selector)


def _none_used(host: Host, why: str) -> Reason:
    text = f"no device of this host is used: {why}"
    return Reason(code="NoDevices", host=host.name, message=text)


def _reasons(decisions: Sequence[Decision]) -> str:
    why = "; ".join(f"{one.disk.stable_path}: {one.reason}" for one in decisions[:SHOWN])
    more = f"; and {len(decisions) - SHOWN} more" if len(decisions) > SHOWN else ""
    return f"{why}{more}"


def _unmet(host: Host, selector: Selector) -> Iterator[Reason]:
    """Entries for devices that this host does not have, the usual slip among them (CASES C05)."""
    unmet = selector.unmet(host.devices)
    if unmet:
        text = f"no device of this host is named {_listed(unmet)}"
        if any(patterns.resembles(name) for name in unmet):
            text += "; a name is taken literally, deviceFilter is the field for a pattern"
        yield Reason(code="DeviceNotFound", host=host.name, message=text)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"


def kept(host: Host, decisions: Sequence[Decision], excluded: str = "") -> Iterator[Reason]:
    """OSDs whose devices the manifest does not name: they stay, and the reader is told.

    `excluded` says why no new OSD is made on the host at all.
    """
    asked = {osd for one in decisions if one.asked_by for osd in one.osds}
    present = {osd for one in decisions for osd in one.osds}
    names = [f"osd.{osd}" for osd in sorted(present - asked)]
    if names:
        text = f"the manifest does not ask for the devices of {_listed(names)}; they keep running, "
        text += "for an OSD is never removed because it is not mentioned"
        text += f". No new one is made here: {excluded}" if excluded else ""
        yield Reason(code="OsdNotInManifest", host=host.name, message=text)
