"""`spec.resources` and those of nodes, merged as Rook and Kubernetes do.

Ceph's own OSDs know what a pod may use: with POD_MEMORY_LIMIT and POD_MEMORY_REQUEST in their
environment they set `osd_memory_target` to the smaller of the request and the limit times
`osd_memory_target_cgroup_limit_ratio`. Mons and mgrs have no such target, in Rook neither.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from orchestrator.model.facts import DaemonType
from orchestrator.model.plan import Reason
from orchestrator.model.resources import UNLIMITED, DaemonResources
from orchestrator.model.spec import CephClusterSpec, Node
from orchestrator.model.spec.kube import Resources
from orchestrator.planning import quantities

Amounts = Mapping[str, int | str]

MINIMUM_MIB: Mapping[str, int] = {"mon": 1024, "mgr": 512, "osd": 2048}
"""Memory below which Rook warns that a daemon may not run."""

MIB = 1024**2


def of(spec: CephClusterSpec, kind: DaemonType | str) -> DaemonResources:
    """What the manifest lets a kind of daemon use: such as `mon` or `mgr`."""
    given = spec.resources.get(str(kind))
    return read(given.limits, given.requests) if given else UNLIMITED


def of_osd(spec: CephClusterSpec, node: Node | None, device_class: str) -> DaemonResources:
    """The node's own amounts, and where it has none those of the OSD's class, else of all OSDs."""
    every = spec.resources.get("osd", Resources())
    common = spec.resources.get(f"osd-{device_class}", every) if device_class else every
    own = node.resources if node else Resources()
    return read({**common.limits, **own.limits}, {**common.requests, **own.requests})


def osd_classes(spec: CephClusterSpec) -> tuple[str, ...]:
    """Device classes that have resources of their own."""
    return tuple(name.removeprefix("osd-") for name in spec.resources if name.startswith("osd-"))


def read(limits: Amounts, requests: Amounts) -> DaemonResources:
    """A request that is not given is the limit, as in Kubernetes."""
    memory = quantities.whole(limits.get("memory", 0))
    return DaemonResources(
        memory_limit=memory,
        memory_request=quantities.whole(requests.get("memory", memory)),
        cpu_limit=quantities.thousandths(limits.get("cpu", 0)),
    )


def recorded(resources: DaemonResources) -> dict[str, dict[str, int]]:
    """Their part of a daemon's description: nothing for one without any."""
    amounts = {name: amount for name, amount in asdict(resources).items() if amount}
    return {"resources": amounts} if amounts else {}


def environment(resources: DaemonResources) -> dict[str, str]:
    """What tells an OSD how much memory it has, as Rook tells it."""
    found = {
        "POD_MEMORY_LIMIT": resources.memory_limit,
        "POD_MEMORY_REQUEST": resources.memory_request,
    }
    return {name: str(amount) for name, amount in found.items() if amount}


def notices(spec: CephClusterSpec) -> Iterator[Reason]:
    """Limits that are too low for the daemon to live with, by Rook's own minimum."""
    for name in spec.resources:
        kind = name.partition("-")[0]
        least = MINIMUM_MIB.get(kind, 0) * MIB
        limit = of(spec, name).memory_limit
        if 0 < limit < least and name != "mgr-sidecar":
            text = f"spec.resources.{name} allows {limit // MIB} MiB of memory, and one needs "
            yield Reason(
                code="MemoryLimitLow", message=f"{text}{MINIMUM_MIB[kind]} MiB; raise limits.memory"
            )
