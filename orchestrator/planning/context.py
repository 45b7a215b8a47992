"""What every planning rule needs: the manifest, who the cluster is, and where its mons are."""

from dataclasses import dataclass
from functools import cached_property

from orchestrator.model.facts import Facts
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import PlacedMon
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning.survey import Survey


@dataclass(frozen=True, kw_only=True)
class Context:
    """`fsid` is None until a new cluster has one; `mons` is the whole wanted mon list."""

    spec: CephClusterSpec
    facts: Facts
    fsid: Fsid | None
    mons: tuple[PlacedMon, ...]
    admin_host: HostName

    @cached_property
    def survey(self) -> Survey:
        """The disks of all hosts, judged once."""
        return Survey(spec=self.spec, facts=self.facts, fsid=self.fsid)
