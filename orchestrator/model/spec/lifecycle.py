"""The small sections: version, upgrades' disruption, logs, crashes, CSI, and the cluster's end."""

from typing import Annotated, Literal

from orchestrator.model.spec.base import (
    Int32,
    Int64,
    Pattern,
    Quantity,
    Section,
    confirming,
    matching,
    zero_means,
)

DESTROY = "yes-really-destroy-data"


class CephVersion(Section):
    allow_unsupported: bool = False
    image: str = ""
    image_pull_policy: Literal["IfNotPresent", "Always", "Never", ""] = ""


class SanitizeDisks(Section):
    data_source: Literal["zero", "random"] = "zero"
    iteration: Annotated[Int32, zero_means(1)] = 1
    method: Literal["complete", "quick"] = "quick"


class CleanupPolicy(Section):
    allow_uninstall_with_volumes: bool = False
    confirmation: Annotated[str, confirming(DESTROY)] = ""
    sanitize_disks: SanitizeDisks = SanitizeDisks()
    wipe_devices_from_other_clusters: bool = False


class CrashCollector(Section):
    days_to_retain: int = 0
    disable: bool = False


class CephfsMount(Section):
    fuse_mount_options: str = ""
    kernel_mount_options: str = ""


class ReadAffinity(Section):
    crush_location_labels: tuple[str, ...] = ()
    enabled: bool = False


class Csi(Section):
    cephfs: CephfsMount = CephfsMount()
    read_affinity: ReadAffinity = ReadAffinity()
    skip_user_creation: bool = False


class DisruptionManagement(Section):
    machine_disruption_budget_namespace: str = ""
    manage_machine_disruption_budgets: bool = False
    manage_pod_budgets: bool = False
    osd_maintenance_timeout: Annotated[Int64, zero_means(30)] = 30
    pg_health_check_timeout: Int64 = 0
    pg_healthy_regex: Pattern = ""


class External(Section):
    enable: bool = False


class LogCollector(Section):
    enabled: bool = False
    max_log_size: Quantity = "500M"
    periodicity: Annotated[
        str,
        matching(
            "(hourly|daily|weekly|monthly|1h|24h|1d)?",
            "must be one of hourly, daily, weekly, monthly, 1h, 24h, 1d",
            "use one of them, or remove the field",
        ),
    ] = "daily"
