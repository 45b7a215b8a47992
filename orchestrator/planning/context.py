"""What every planning rule needs: the manifest, who the cluster is, and where its mons are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from orchestrator.model.facts import Facts
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import PlacedMon
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning.survey import Survey


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
