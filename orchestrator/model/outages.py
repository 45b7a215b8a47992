"""How long mons have been out of quorum: from Ceph's own word, and from what an earlier look noted.

Ceph tells how old its quorum is, and who is not in it has been out for at least as long. Another
mon that comes or goes makes the quorum young again, so the beginning is noted in the status too.
The note counts as long as nobody can have come back unseen: the quorum is older than the last look,
or that look was a moment ago. So runs that are hours apart can tell, and need no memory to do so.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from orchestrator.model.facts import Cluster, Outage

MOMENT = timedelta(seconds=60)
"""Rook looks each 45 seconds and takes two looks that see a mon outside for one outage."""


def measured(
    cluster: Cluster | None, noted: Mapping[str, Any], now: datetime
) -> Mapping[str, Outage]:
    """The outage of every member that is not in quorum; `noted` is the status' `mon`."""
    if cluster is None:
        return {}
    begun = _quorum_began(cluster, now)
    earlier = _beginnings(noted) if _unbroken(begun, noted, now) else {}
    outside = [mon.name for mon in cluster.mons if mon.name not in cluster.quorum_names]
    return {name: _outage(min(begun, earlier.get(name, begun)), now) for name in outside}


def note(outages: Mapping[str, Outage], now: datetime) -> dict[str, Any]:
    """What the status keeps of them, as its `mon`; nothing when all are in quorum."""
    if not outages:
        return {}
    entries = [{"name": name, "since": _text(one.since)} for name, one in sorted(outages.items())]
    return {"outOfQuorum": entries, "lastChecked": _text(now)}


def _outage(since: datetime, now: datetime) -> Outage:
    return Outage(since=since, seconds=(now - since).total_seconds())


def _quorum_began(cluster: Cluster, now: datetime) -> datetime:
    """JSON has numbers that are no time, such as 1e999: an age that cannot be is not known."""
    age = cluster.status.get("quorum_age")
    if isinstance(age, bool) or not isinstance(age, int | float) or not age > 0:
        return now
    try:
        return now - timedelta(seconds=age)
    except OverflowError:
        return now


def _unbroken(begun: datetime, noted: Mapping[str, Any], now: datetime) -> bool:
    looked = _time(noted.get("lastChecked"))
    return looked is not None and (begun <= looked or now - looked <= MOMENT)


def _beginnings(noted: Mapping[str, Any]) -> dict[str, datetime]:
    """What cannot be read, after an edit by hand, is as if it had not been noted."""
    entries = noted.get("outOfQuorum")
    found = {
        str(one.get("name")): _time(one.get("since"))
        for one in (entries if isinstance(entries, list) else ())
        if isinstance(one, Mapping)
    }
    return {name: since for name, since in found.items() if since is not None}


def _text(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _time(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else None
