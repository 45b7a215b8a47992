"""What every planning rule needs: the manifest, who the cluster is, and where its mons are."""

from dataclasses import dataclass

from orchestrator.model.facts import Facts
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import PlacedMon
from orchestrator.model.spec import CephClusterSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """`fsid` is None until a new cluster has one; `mons` is the whole wanted mon list."""

    spec: CephClusterSpec
    facts: Facts
    fsid: Fsid | None
    mons: tuple[PlacedMon, ...]
    admin_host: HostName
