"""What tests of the status begin with: a cluster that answers, and what is made of it."""

from dataclasses import replace
from datetime import UTC, datetime

from orchestrator import status
from orchestrator.model.plan import MonStep, Plan, Reason
from tests.fakes import facts
from tests.fakes.clusters import cluster

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
STAMP = "2030-01-02T03:04:05Z"
BASE = {"changes": (), "fsid": facts.OURS, "mons": (), "admin_host": "store-a"}
MON = MonStep(targets=(), new_cluster=True, **BASE)
READY = status.ended(Plan(), None)
TENTACLE = "ceph version 20.2.4 (0123abcd) tentacle (stable)"
SILENT = Reason(code="HostUnreachable", host="store-c", message="nothing is done: timed out")


def healthy(health="HEALTH_OK", **view):
    values = {
        "status": {"health": {"status": health, "checks": {}}},
        "versions": {"mon": {TENTACLE: 3}, "overall": {TENTACLE: 8}, "later": {TENTACLE: 1}},
        "df": {"total_bytes": 300, "total_used_raw_bytes": 10, "total_avail_bytes": 290},
    }
    return replace(facts.healthy(), cluster=facts.view(**{**values, **view}))


def summary(seen, condition=READY, previous=None, now=NOW, **spec):
    wanted = cluster(**spec)
    return status.summarise(wanted, seen, condition, previous or {}, now)


def condition(found, kind):
    return next(one for one in found["conditions"] if one["type"] == kind)
