"""`spec.mgr` and `spec.dashboard`: the managers, their modules, their web page."""

from typing import Annotated, Literal

from pydantic import Field

from orchestrator.model.spec.base import Port, Section, zero_means

# Rook's documents say 2; its code takes 1 when the count is absent or 0, and the code decides.
DEFAULT_COUNT = 1


class ModuleSettings(Section):
    balancer_mode: Literal["", "crush-compat", "upmap", "read", "upmap-read"] = ""


class Module(Section):
    name: str = ""
    enabled: bool = False
    settings: ModuleSettings = ModuleSettings()


class Mgr(Section):
    allow_multiple_per_node: bool = False
    count: Annotated[int, Field(ge=0, le=5), zero_means(DEFAULT_COUNT)] = DEFAULT_COUNT
    host_network: bool | None = None
    modules: tuple[Module, ...] = ()


class Dashboard(Section):
    enabled: bool = False
    port: Port = 0
    prometheus_endpoint: str = ""
    prometheus_endpoint_ssl_verify: bool = Field(default=False, alias="prometheusEndpointSSLVerify")
    ssl: bool = False
    url_prefix: str = ""
