"""Which OSDs Kubernetes may evict: one failure domain at a time, and none while data is at risk.

Rook's rules (ROOK-COMPAT section 3). While all is well one budget lets one OSD go. Once OSDs of a
failure domain are down and placement groups are not whole, that domain may lose its others too, so
that its node can be drained, and all other domains none, until the placement groups are whole.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from orchestrator.model import durations
from orchestrator.model.facts import Cluster, DaemonType, Osd
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import safety, topology
from orchestrator.planning.context import Context

CORDONED = "node.kubernetes.io/unschedulable"
SETTLING = 60.0
"""Seconds after which Ceph has surely noticed what the first evictions of a drain did."""

LOOK_SECONDS = 60.0
"""Rook's own time between two looks at OSDs."""

OSD, HOST = "osd", "host"
LEVELS = (OSD, HOST, *reversed(tuple(topology.LEVELS)))
"""Failure domains, the narrowest first."""

WEAK = ("degraded", "undersized", "stale", "down", "incomplete")
"""What in a placement group's state says that it has fewer copies than it should.

One that is new, or only moves, has all of them: no drain waits for it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What may be evicted: of `draining` all, and then of the other `domains` nothing.

    While nothing is drained, `most` OSDs of the whole cluster. With `noout` the data of the domain
    is not moved elsewhere; `released` are those whose data may be moved again.
    """

    level: str
    draining: str = ""
    noout: bool = False
    most: int = 0
    domains: tuple[str, ...] = ()
    released: tuple[str, ...] = ()

    @property
    def passing(self) -> bool:
        """Whether it is for a while: until OSDs are back, data is whole, or time is up."""
        return bool(self.draining) or not self.most

    @property
    def settings(self) -> dict[str, object]:
        found = asdict(self)
        return {**found, "domains": list(self.domains), "released": list(self.released)}

    @property
    def reason(self) -> str:
        if self.draining:
            return f"OSDs of {self.level} {self.draining} are down: those elsewhere have to stay"
        if not self.most:
            return "placement groups are not whole: no OSD may be evicted"
        return f"{self.most} OSD(s) may be evicted at a time"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drain:
    """What is so now; `noted` was the draining domain for `seconds`, if there was one."""

    context: Context
    cluster: Cluster
    level: str
    noted: str
    seconds: float

    @property
    def clean(self) -> bool:
        pattern = self.context.spec.disruption_management.pg_healthy_regex
        return safety.clean(safety.pgmap(self.cluster), pattern)

    def domain(self, osd: Osd) -> str:
        if self.level == HOST:
            return osd.host
        return self.cluster.crush_hosts.get(osd.host, {}).get(self.level, "")

    @property
    def down(self) -> tuple[Osd, ...]:
        """Those that should run: an OSD without a Deployment is nobody's to evict.

        What a lost node has nobody tells; all that Ceph knows of it counts.
        """
        facts = self.context.facts
        made = {daemon.id for _, daemon in facts.daemons(DaemonType.OSD)}
        hosts = facts.hosts.values()
        lost = {topology.crush_name(str(host.name)) for host in hosts if not host.reachable}
        return tuple(
            one
            for one in self.cluster.osds
            if not one.up and (str(one.id) in made or one.host in lost)
        )

    @property
    def cordoned(self) -> set[str]:
        """Domains of OSDs that are down on nodes that somebody drains."""
        nodes = {
            topology.crush_name(str(host.name))
            for host in self.context.facts.hosts.values()
            if any(taint.key == CORDONED for taint in host.taints)
        }
        return {self.domain(one) for one in self.down if one.host in nodes}

    def draining(self) -> str:
        if self.level == OSD:
            return ""
        domains = {self.domain(one) for one in self.down} - {""}
        if not domains:
            return self.noted if self.noted and not self.clean and not self._over else ""
        likely = sorted(self.cordoned - {""}) or sorted(domains)
        found = self.noted if self.noted in domains else likely[0]
        settled = found == self.noted and self.seconds >= SETTLING
        if self.clean and (settled or found not in self.cordoned):
            return ""
        return found

    @property
    def _over(self) -> bool:
        """Whether the manifest waits no longer for placement groups that do not get whole."""
        minutes = self.context.spec.disruption_management.pg_health_check_timeout
        return minutes > 0 and self.seconds >= 60 * minutes

    def noout(self, draining: str) -> bool:
        minutes = self.context.spec.disruption_management.osd_maintenance_timeout
        seconds = self.seconds if draining == self.noted else 0.0
        return bool(draining) and draining in self.cordoned and seconds < 60 * minutes

    def most(self, draining: str) -> int:
        if draining:
            return 0
        if self.level == OSD:
            return 1
        if self.down:
            return len(self.down) + 1
        return 1 if self.clean or is_whole(self.cluster) else 0


def is_whole(cluster: Cluster) -> bool:
    """Whether no placement group is known to have fewer copies than it should."""
    states = safety.pgmap(cluster).get("pgs_by_state")
    listed = states if isinstance(states, list) else []
    names = [str(one.get("state_name", "")) for one in listed if isinstance(one, Mapping)]
    return not any(word in name for name in names for word in WEAK)


def wanted(context: Context, notes: Mapping[str, str]) -> Wanted | None:
    """What the budgets must say; None while that is not known.

    `notes` are those of the last time: `draining`, `seconds` since then, and `noout`.
    """
    cluster = context.facts.cluster
    if cluster is None or {"osds", "status", "failure_domains"} & set(cluster.unanswered):
        return None
    noted = notes.get("draining", "")
    drain = _Drain(
        context=context,
        cluster=cluster,
        level=narrowest(cluster.failure_domains),
        noted=noted,
        seconds=float(notes.get("seconds") or 0.0),
    )
    draining = drain.draining()
    noout = drain.noout(draining)
    set_before = noted if notes.get("noout") == "true" else ""
    return Wanted(
        level=drain.level,
        draining=draining,
        noout=noout,
        most=drain.most(draining),
        domains=tuple(_others(drain, draining)),
        released=(set_before,) if set_before and not (noout and set_before == draining) else (),
    )


def pause(spec: CephClusterSpec) -> float:
    """Seconds between two looks at what is for a while: those between two looks at OSDs."""
    found = float(durations.seconds(spec.health_check.daemon_health.osd.interval))
    return found if found > 0 else LOOK_SECONDS


def narrowest(domains: tuple[str, ...]) -> str:
    """The failure domain that every pool can lose; hosts as long as there is no pool."""
    return next((level for level in LEVELS if level in domains), HOST)


def _others(drain: _Drain, draining: str) -> Iterator[str]:
    if draining:
        names = {drain.domain(one) for one in drain.cluster.osds}
        yield from sorted(names - {"", draining})
