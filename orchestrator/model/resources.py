"""What a daemon may use of its host: what Kubernetes' resources mean there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonResources:
    """Memory in bytes and CPU in thousandths of one; 0 is not limited.

    A request reserves nothing on a host. Of memory it is what an OSD aims at.
    """

    memory_limit: int = 0
    memory_request: int = 0
    cpu_limit: int = 0


UNLIMITED = DaemonResources()
