"""Why each host was chosen for a kind of daemon or not: the same rules as placement, in words."""

from collections.abc import Iterator, Sequence

from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.names import HostName
from orchestrator.model.placements import HostVerdict, Standing
from orchestrator.model.plan import Action, Plan
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import strangers
from orchestrator.planning.host_rules import Rules
from orchestrator.planning.survey import Survey

Finding = tuple[Standing, str]


def explain(spec: CephClusterSpec, facts: Facts, plan: Plan) -> tuple[HostVerdict, ...]:
    """A verdict for mons, mgrs and OSDs on every host, in the order of the inventory."""
    usable, _ = strangers.set_aside(facts)
    survey = Survey(spec=spec, facts=usable, fsid=plan.fsid)
    return (
        *_of_kind(Rules(spec=spec, facts=usable, kind=DaemonType.MON), plan),
        *_of_kind(Rules(spec=spec, facts=usable, kind=DaemonType.MGR), plan),
        *_of_osds(survey),
    )


def _of_kind(rules: Rules, plan: Plan) -> Iterator[HostVerdict]:
    chosen = _chosen(rules.kind, plan)
    hosts = rules.facts.hosts
    added = [hosts[name] for name in chosen if name in hosts]
    ranks = _ranks(rules)
    for host in hosts.values():
        standing, reason = _silent(host) or _finding(rules, host, chosen, added)
        if standing in {Standing.CHOSEN, Standing.FITS}:
            reason += ranks.get(host.name, "")
        yield HostVerdict(daemon=rules.kind, host=host.name, standing=standing, reason=reason)


def _chosen(kind: DaemonType, plan: Plan) -> dict[HostName, list[str]]:
    """Hosts that get new daemons of the kind, with their names."""
    found: dict[HostName, list[str]] = {}
    for change in plan.changes:
        if change.action is Action.CREATE and change.host and change.subject.startswith(f"{kind}."):
            found.setdefault(change.host, []).append(change.subject)
    return found


def _silent(host: Host) -> Finding | None:
    return None if host.reachable else (Standing.UNKNOWN, host.error or "no answer")


def _finding(
    rules: Rules, host: Host, chosen: dict[HostName, list[str]], added: Sequence[Host]
) -> Finding:
    held = [str(one.name) for one in host.daemons_of(rules.kind) if one.data or one.running]
    if held:
        why = rules.eviction(host)
        names = ", ".join(held)
        return (Standing.LEAVES, f"{names}: {why}") if why else (Standing.HOLDS, names)
    if host.name in chosen:
        return Standing.CHOSEN, ", ".join(chosen[host.name])
    why = rules.refusal(host, added) or _lacking(rules.kind, host)
    return (Standing.EXCLUDED, why) if why else (Standing.FITS, "not needed")


def _lacking(kind: DaemonType, host: Host) -> str:
    program = f"ceph-{kind}"
    return "" if program in host.binaries else f"{program} is not installed"


def _ranks(rules: Rules) -> dict[HostName, str]:
    """Scores in words, where the manifest prefers some hosts: nothing else tells them apart."""
    hosts = tuple(rules.facts.hosts.values())
    scores = rules.scores(hosts)
    best = max(scores, default=0)
    if best == min(scores, default=0):
        return {}
    return {
        host.name: f", score {score} of {best}" for host, score in zip(hosts, scores, strict=True)
    }


def _of_osds(survey: Survey) -> Iterator[HostVerdict]:
    for host in survey.facts.hosts.values():
        standing, reason = _silent(host) or _of_disks(survey, host)
        yield HostVerdict(daemon=DaemonType.OSD, host=host.name, standing=standing, reason=reason)


def _of_disks(survey: Survey, host: Host) -> Finding:
    decisions = survey.decisions[host.name]
    held = sorted({osd for one in decisions for osd in one.osds})
    fresh = sum(1 for one in decisions if one.wanted)
    why = survey.exclusion(host)
    if fresh:
        return Standing.CHOSEN, f"{fresh} device{'s' if fresh > 1 else ''} selected"
    if held:
        names = ", ".join(f"osd.{osd}" for osd in held)
        return Standing.HOLDS, f"{names}; no new ones: {why}" if why else names
    return (Standing.EXCLUDED, why) if why else (Standing.FITS, "no device is selected")
