"""What the OSDs of a host may use, by their device class.

Most manifests have one amount for all. A class with an amount of its own (`osd-ssd`) is told by
what Ceph says of the OSD; of a new one by what its device is to be, or is.
"""

from collections.abc import Mapping

from orchestrator.model.facts import Host, Osd
from orchestrator.model.names import OsdId
from orchestrator.model.resources import UNLIMITED, DaemonResources
from orchestrator.planning import resources
from orchestrator.planning.context import Context

REST = ""
"""All classes without amounts of their own."""


def limits(context: Context, host: Host, device_class: str) -> DaemonResources:
    node = context.survey.assignment.nodes.get(host.name)
    return resources.of_osd(context.spec, node, device_class)


def of_host(context: Context, host: Host) -> dict[str, DaemonResources]:
    """Amounts by class, those of all others under the empty name; nothing where none are given."""
    names = (REST, *resources.osd_classes(context.spec))
    found = {name: limits(context, host, name) for name in names}
    return found if any(one != UNLIMITED for one in found.values()) else {}


def told(context: Context, known: Mapping[OsdId, Osd] | None) -> dict[OsdId, str]:
    """OSDs of which Ceph says a class that has amounts of its own."""
    own = resources.osd_classes(context.spec)
    return {osd: one.device_class for osd, one in (known or {}).items() if one.device_class in own}


def unknown(context: Context, known: Mapping[OsdId, Osd] | None) -> bool:
    """Whether it matters which class an OSD has, and Ceph did not say."""
    return known is None and bool(resources.osd_classes(context.spec))
