"""Raw answers of `ceph_host_info` become model values here, once.

One odd field costs no more than it must: a host whose answer does not parse counts as not
understood (never as empty), and a section of Ceph's view that does not parse is left out and named.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestrator.model import endpoints
from orchestrator.model.facts import Cluster, Facts, Host, Taint
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Failure, Outcome

PLANNED_FROM = ("osds", "mgr", "mgr_modules", "config", "mutes")
"""Sections of Ceph's view that planning cannot do without."""

SAID = ("groups", "address", "allow_loop_devices", "labels", "taints", "pods")
"""Fields of a host that the inventory says and the host itself does not."""

ESSENTIAL = frozenset({"fsid", "quorum_names", "mons"})

_HOST = TypeAdapter(Host)
_CLUSTER = TypeAdapter(Cluster)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What the inventory itself says of a host."""

    name: HostName
    groups: tuple[str, ...] = ()
    address: str = ""
    allow_loop_devices: bool = False
    pods: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()


def gathered(members: Iterable[Member], outcome: Outcome) -> Facts:
    """Facts of a first look: every member of the inventory, whether it answered or not."""
    hosts = {member.name: _answer(member, outcome) for member in members}
    return Facts(hosts=MappingProxyType(hosts), cluster=cluster_of(outcome))


def refreshed(facts: Facts, outcome: Outcome) -> Facts:
    """`facts` with what the hosts of a run reported at its end."""
    seen = {
        name: _answer(_member(facts.hosts[name]), outcome)
        for name in (*outcome.reports, *(failure.host for failure in outcome.unreachable))
        if name in facts.hosts
    }
    return facts.merged(seen, cluster_of(outcome)) if seen else facts


def without(facts: Facts, failed: Mapping[HostName, Failure]) -> Facts:
    """`facts` in which nothing is done on hosts that failed before in this run."""
    hosts = dict(facts.hosts)
    for name in failed.keys() & hosts.keys():
        text = f"it failed in this run: {failed[name].message}"
        hosts[name] = replace(
            hosts[name], reachable=False, error=text, refusal="HostFailed", devices=()
        )
    return replace(facts, hosts=MappingProxyType(hosts)) if failed else facts


def _member(host: Host) -> Member:
    return Member(name=host.name, **_said(host))


def _answer(member: Member, outcome: Outcome) -> Host:
    report = outcome.reports.get(member.name)
    host = _identified(member.name, report["host"]) if report else _silent(member, outcome)
    return replace(host, **_said(member))


def _said(source: Member | Host) -> dict[str, Any]:
    """What the inventory says, which every answer of the host is completed with."""
    return {name: getattr(source, name) for name in SAID}


def _silent(member: Member, outcome: Outcome) -> Host:
    failures = [failure for failure in outcome.failures if failure.host == member.name]
    error = failures[-1].message if failures else "no answer"
    return Host(name=member.name, reachable=False, error=error)


def _identified(name: HostName, raw: Mapping[str, Any]) -> Host:
    """The host, unless its machine calls itself something else: then it is not touched (C13)."""
    host = parse_host(name, raw)
    names = [one for one in (host.hostname, host.fqdn) if one]
    if not host.reachable or not names or any(is_named(name, one) for one in names):
        return host
    text = (
        f"the machine calls itself {host.hostname} and the inventory calls it {name}; "
        "if they are the same, give it one name in both places"
    )
    return Host(name=name, reachable=False, error=text, refusal="HostnameMismatch")


def is_named(name: HostName, hostname: str) -> bool:
    """Short and full names in any case are one host; an IP address as its name says nothing."""
    ours, theirs = name.lower(), hostname.lower()
    if not theirs or endpoints.is_address(ours):
        return True
    return ours == theirs or ours.split(".")[0] == theirs.split(".")[0]


def parse_host(name: HostName, raw: Mapping[str, Any]) -> Host:
    """A Host from the module's `host` result; one that is not understood is not reachable."""
    known = {one.name for one in fields(Host)}
    values = {key: value for key, value in raw.items() if key in known}
    try:
        return _HOST.validate_python({**values, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        text = f"its facts are not understood: {where}: {first['msg']}"
        return Host(name=name, reachable=False, error=text)


def speaker(outcome: Outcome) -> HostName | None:
    """A host whose mon follows a leader, where no host of the run had the leader to speak for it.

    The leader's host may not answer, or have left the inventory while its mon goes on.
    """
    if not outcome.ok and not outcome.unreachable:
        return None
    if any(report.get("cluster") for report in outcome.reports.values()):
        return None
    found = (name for name, report in outcome.reports.items() if _follows(report.get("host")))
    return next(found, None)


def _follows(host: object) -> bool:
    daemons = host.get("daemons") if isinstance(host, Mapping) else ()
    listed = daemons if isinstance(daemons, list | tuple) else ()
    return any(isinstance(one, Mapping) and one.get("mon_state") == "peon" for one in listed)


def cluster_of(outcome: Outcome) -> Cluster | None:
    """Ceph's view from the one report that has it, if any host led a quorum."""
    for report in outcome.reports.values():
        if report.get("cluster"):
            return parse_cluster(report["cluster"])
    return None


def parse_cluster(raw: Mapping[str, Any]) -> Cluster | None:
    """A Cluster from the module's `cluster` result; sections that do not parse are unanswered.

    None when the mons themselves cannot be read: an empty mon map would ask for new mons, and a
    name in quorum that the map does not have for the removal of one that is there.
    """
    known = {one.name for one in fields(Cluster)}
    values = {key: value for key, value in raw.items() if key in known and value is not None}
    told = values.pop("errors", None)
    errors = tuple(map(str, told)) if isinstance(told, list | tuple) else ()
    broken = _broken(values)
    if not all(values.get(name) for name in ESSENTIAL) or broken & ESSENTIAL:
        return None
    kept = {key: value for key, value in values.items() if key not in broken}
    noted = (*errors, *(f"{name}: not understood" for name in sorted(broken)))
    unanswered = tuple(name for name in PLANNED_FROM if name not in kept)
    found = _CLUSTER.validate_python({**kept, "errors": noted, "unanswered": unanswered})
    return found if {mon.name for mon in found.mons} >= set(found.quorum_names) else None


def _broken(values: Mapping[str, Any]) -> set[str]:
    try:
        _CLUSTER.validate_python(values)
    except ValidationError as error:
        return {str(entry["loc"][0]) for entry in error.errors()}
    return set()
