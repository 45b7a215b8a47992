"""What the OSDs of a host may use, by their device class.

Most manifests have one amount for all. A class with an amount of its own (`osd-ssd`) is told by
what Ceph says of the OSD; of a new one by what its device is to be, or is.
"""

from orchestrator.model.facts import Host
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


def unknown(context: Context) -> bool:
    """Whether it matters which class an OSD has, and Ceph did not say."""
    return context.known_osds is None and bool(resources.osd_classes(context.spec))
