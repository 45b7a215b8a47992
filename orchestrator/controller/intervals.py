"""How often Ceph is asked beside the passes (pure).

The environment wins over the spec, as in Rook (ROOK-COMPAT 5 and 6).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.model import durations
from orchestrator.model.spec.health import HealthCheck

STATUS_VARIABLE = "ROOK_CEPH_STATUS_CHECK_INTERVAL"
MON_VARIABLE = "ROOK_MON_HEALTHCHECK_INTERVAL"
STATUS_SECONDS, MON_SECONDS, OSD_SECONDS = 60.0, 45.0, 60.0
SHORTEST_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Seconds between checks; None: that check is off."""

    status: float | None = STATUS_SECONDS
    mon: float | None = MON_SECONDS
    osd: float | None = OSD_SECONDS


def intervals(checks: HealthCheck, environment: Mapping[str, str]) -> Intervals:
    """The intervals of one cluster."""
    daemons = checks.daemon_health
    status = (environment.get(STATUS_VARIABLE, ""), daemons.status.interval)
    mon = (environment.get(MON_VARIABLE, ""), daemons.mon.interval)
    return Intervals(
        status=None if daemons.status.disabled else _seconds(status, STATUS_SECONDS),
        mon=None if daemons.mon.disabled else _seconds(mon, MON_SECONDS),
        osd=None if daemons.osd.disabled else _seconds((daemons.osd.interval,), OSD_SECONDS),
    )


def _seconds(texts: tuple[str, ...], default: float) -> float:
    """The first that is a duration; 0 and less mean the default, as in Rook."""
    for text in texts:
        found = float(durations.seconds(text))
        if found > 0:
            return max(SHORTEST_SECONDS, found)
    return default
