"""`spec.network`: the addresses daemons use and how they talk."""

import ipaddress
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from orchestrator.model.spec.base import Section, StringMap, judged_bare, refuse

_CIDR = re.compile(r"[0-9a-fA-F:.]{2,}/[0-9]{1,3}")


def _cidr(value: str) -> str:
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        valid = False
    else:
        valid = _CIDR.fullmatch(value) is not None
    if not valid:
        raise refuse("must be an address range", "write it as 192.0.2.0/24 or 2001:db8::/64")
    return value


Cidr = Annotated[
    str,
    BeforeValidator(judged_bare(_cidr)),
    AfterValidator(_cidr),
    Field(json_schema_extra={"pattern": f"^{_CIDR.pattern}$"}),
]


class AddressRanges(Section):
    cluster: tuple[Cidr, ...] = ()
    public: tuple[Cidr, ...] = ()


class Compression(Section):
    enabled: bool = False


class Encryption(Section):
    enabled: bool = False


class Connections(Section):
    compression: Compression = Compression()
    encryption: Encryption = Encryption()
    require_msgr2: bool = False


class MultiClusterService(Section):
    cluster_id: str = Field(default="", alias="clusterID")
    enabled: bool = False


class Network(Section):
    address_ranges: AddressRanges = AddressRanges()
    connections: Connections = Connections()
    dual_stack: bool = False
    host_network: bool = False
    ip_family: Literal["IPv4", "IPv6"] | None = None
    multi_cluster_service: MultiClusterService = MultiClusterService()
    provider: Literal["", "host", "multus"] = ""
    selectors: StringMap = Field(default_factory=dict)
