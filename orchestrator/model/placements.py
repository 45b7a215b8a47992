"""Why each host holds, gets or does not get daemons of a kind; shown by `plan --explain`."""

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.model.facts import DaemonType
from orchestrator.model.names import HostName


class Standing(StrEnum):
    """What a host is to a kind of daemon.

    `FITS` is a host that could hold one and is not needed; of an `UNKNOWN` one nothing can be said.
    """

    HOLDS = "holds"
    CHOSEN = "chosen"
    FITS = "fits"
    LEAVES = "leaves"
    EXCLUDED = "excluded"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostVerdict:
    """The verdict on one host for one kind of daemon, with its reason in words."""

    daemon: DaemonType
    host: HostName
    standing: Standing
    reason: str
