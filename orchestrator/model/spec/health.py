"""`spec.healthCheck`: how often daemons are looked at, and which warnings are muted."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from orchestrator.model.spec.base import Duration, Section, matching
from orchestrator.model.spec.kube import Probe

HealthCode = Annotated[
    str,
    matching(
        r"[A-Z]+(_[A-Z]+)+",
        "must be one of Ceph's health check codes",
        "write the code as `ceph health detail` prints it, such as OSD_DOWN",
    ),
]


class MonCheck(Section):
    """`timeout` is any text in Rook's schema: what is no duration has Rook's default (C29)."""

    disabled: bool = False
    interval: Duration = "45s"
    timeout: str = "600s"


class DaemonCheck(Section):
    disabled: bool = False
    interval: Duration = "60s"
    timeout: str = ""


class DaemonHealth(Section):
    mon: MonCheck = MonCheck()
    osd: DaemonCheck = DaemonCheck()
    status: DaemonCheck = DaemonCheck()


class ProbeSpec(Section):
    disabled: bool = False
    probe: Probe | None = None


class Mute(Section):
    policy: Literal["mute", "unmute"]


class HealthCheck(Section):
    daemon_health: DaemonHealth = DaemonHealth()
    liveness_probe: Mapping[str, ProbeSpec] = Field(default_factory=dict)
    mute_health_warning: Annotated[Mapping[HealthCode, Mute], Field(max_length=10)] = Field(
        default_factory=dict
    )
    startup_probe: Mapping[str, ProbeSpec] = Field(default_factory=dict)
