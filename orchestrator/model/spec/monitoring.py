"""`spec.monitoring`: what Prometheus may read."""

from typing import Annotated

from pydantic import Field

from orchestrator.model.spec.base import Duration, Int64, Port, Section, zero_means
from orchestrator.model.spec.kube import EndpointAddress

_PROMETHEUS_PORT = 9283


class Exporter(Section):
    host_network: bool | None = None
    perf_counters_prio_limit: Int64 = 5
    port: Annotated[int, Field(ge=1, le=65535)] = 9926
    stats_period_seconds: Int64 = 5


class Monitoring(Section):
    enabled: bool = False
    exporter: Exporter = Exporter()
    external_mgr_endpoints: tuple[EndpointAddress, ...] = ()
    external_mgr_prometheus_port: Annotated[Port, zero_means(_PROMETHEUS_PORT)] = _PROMETHEUS_PORT
    interval: Duration = ""
    metrics_disabled: bool = False
    port: Annotated[Port, zero_means(_PROMETHEUS_PORT)] = _PROMETHEUS_PORT
