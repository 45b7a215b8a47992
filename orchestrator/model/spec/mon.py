"""`spec.mon`: how many monitors and where."""

from typing import Annotated

from pydantic import Field

from orchestrator.model.spec.base import Section, matching, zero_means
from orchestrator.model.spec.kube import VolumeClaimTemplate

DEFAULT_COUNT = 3


class Zone(Section):
    """One failure domain that monitors are spread over."""

    arbiter: bool = False
    name: str = ""
    volume_claim_template: VolumeClaimTemplate | None = None


class StretchCluster(Section):
    failure_domain_label: str = ""
    sub_failure_domain: str = ""
    zones: tuple[Zone, ...] = ()


class FloatingMon(Section):
    configmap_name: Annotated[str, Field(min_length=1, max_length=253)]
    name: Annotated[str, matching("[a-z]", "must be one letter from a to z", "name it like a mon")]


class Mon(Section):
    allow_multiple_per_node: bool = False
    count: Annotated[int, Field(ge=0, le=9), zero_means(DEFAULT_COUNT)] = DEFAULT_COUNT
    external_mon_ids: tuple[str, ...] = Field(default=(), alias="externalMonIDs")
    failure_domain_label: str = ""
    floating_mon: FloatingMon | None = None
    stretch_cluster: StretchCluster | None = None
    volume_claim_template: VolumeClaimTemplate | None = None
    zones: tuple[Zone, ...] = ()
