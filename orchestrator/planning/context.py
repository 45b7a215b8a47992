"""What every planning rule needs: the manifest, who the cluster is, and where its mons are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from orchestrator.model.facts import Facts, Osd
from orchestrator.model.names import Fsid, HostName, OsdId
from orchestrator.model.plan import PlacedMon
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import resources
from orchestrator.planning.survey import Survey

KnownOsds = Mapping[OsdId, Osd] | None


@dataclass(frozen=True, kw_only=True)
class Context:
    """`fsid` is None until a new cluster has one; `mons` is the whole wanted mon list.

    `mgrs` are those that have their host's own addresses, now or when they have come, by id.
    """

    spec: CephClusterSpec
    facts: Facts
    fsid: Fsid | None
    mons: tuple[PlacedMon, ...]
    admin_host: HostName
    mgrs: Mapping[str, HostName] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def survey(self) -> Survey:
        """The disks of all hosts, judged once."""
        return Survey(spec=self.spec, facts=self.facts, fsid=self.fsid)

    @cached_property
    def known_osds(self) -> KnownOsds:
        """OSDs by id as Ceph has them; None where it did not tell, so nothing is known of any."""
        if self.facts.cluster is None or "osds" in self.facts.cluster.unanswered:
            return None
        return {osd.id: osd for osd in self.facts.cluster.osds}

    @cached_property
    def told_classes(self) -> Mapping[OsdId, str]:
        """OSDs of which Ceph says a class that has amounts of its own."""
        own, known = resources.osd_classes(self.spec), self.known_osds or {}
        return {osd: one.device_class for osd, one in known.items() if one.device_class in own}
