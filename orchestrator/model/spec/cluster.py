"""The whole CephCluster: Rook's `ceph.rook.io/v1` spec and the metadata a pass needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from orchestrator.model import names
from orchestrator.model.spec.base import Int64, Section, StringMap, matching, zero_means
from orchestrator.model.spec.health import HealthCheck
from orchestrator.model.spec.kube import Placement, Resources, SecretKey
from orchestrator.model.spec.lifecycle import (
    CephVersion,
    CleanupPolicy,
    CrashCollector,
    Csi,
    DisruptionManagement,
    External,
    LogCollector,
)
from orchestrator.model.spec.mgr import Dashboard, Mgr
from orchestrator.model.spec.mon import Mon
from orchestrator.model.spec.monitoring import Monitoring
from orchestrator.model.spec.network import Network
from orchestrator.model.spec.security import Security
from orchestrator.model.spec.storage import Storage

API_VERSION = "ceph.rook.io/v1"
KIND = "CephCluster"


class CephClusterSpec(Section):
    annotations: Mapping[str, StringMap] = Field(default_factory=dict)
    ceph_config: Mapping[str, StringMap] = Field(default_factory=dict)
    ceph_config_from_secret: Mapping[str, Mapping[str, SecretKey]] = Field(default_factory=dict)
    ceph_version: CephVersion = CephVersion()
    cleanup_policy: CleanupPolicy = CleanupPolicy()
    continue_upgrade_after_checks_even_if_not_healthy: bool = False
    crash_collector: CrashCollector = CrashCollector()
    csi: Csi = Csi()
    dashboard: Dashboard = Dashboard()
    data_dir_host_path: Annotated[
        str, matching(r"(?s:/\S+.*)?", "must be an absolute path", "write it as /var/lib/rook")
    ] = ""
    disruption_management: DisruptionManagement = DisruptionManagement()
    external: External = External()
    health_check: HealthCheck = HealthCheck()
    labels: Mapping[str, StringMap] = Field(default_factory=dict)
    log_collector: LogCollector = LogCollector()
    mgr: Mgr = Mgr()
    mon: Mon = Mon()
    monitoring: Monitoring = Monitoring()
    network: Network = Network()
    placement: Mapping[str, Placement] = Field(default_factory=dict)
    priority_class_names: StringMap = Field(default_factory=dict)
    remove_osds_if_out_and_safe_to_remove: bool = Field(
        default=False, alias="removeOSDsIfOutAndSafeToRemove"
    )
    resources: Mapping[str, Resources] = Field(default_factory=dict)
    security: Security = Security()
    skip_upgrade_checks: bool = False
    storage: Storage = Storage()
    upgrade_osd_requires_healthy_pgs: bool = Field(
        default=False, alias="upgradeOSDRequiresHealthyPGs"
    )
    wait_timeout_for_healthy_osd_in_minutes: Annotated[Int64, zero_means(10)] = Field(
        default=10, alias="waitTimeoutForHealthyOSDInMinutes"
    )

    @property
    def public_ranges(self) -> tuple[str, ...]:
        return self.network.address_ranges.public

    @property
    def cluster_ranges(self) -> tuple[str, ...]:
        return self.network.address_ranges.cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class CephCluster:
    """One manifest, understood.

    `deleting` is a state of the spec like any other: the plan of a cluster that is being deleted
    takes it away.
    """

    key: names.ClusterKey
    spec: CephClusterSpec
    generation: int = 1
    deleting: bool = False
    annotations: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    uid: str = ""
