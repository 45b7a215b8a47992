"""Whatever Ceph prints, in one place or in all: the rest is read, and nobody falls over (C41)."""

import copy
import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator import planning, status
from orchestrator.ansible import facts as answers
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Outcome
from orchestrator.model.plan import Plan
from tests.fakes import facts
from tests.fakes.clusters import cluster
from tests.fakes.stores import NOW
from tests.unit.plugins.module_utils.test_cluster_view import ANSWERS, cluster_view

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["HEALTH_OK", "a", "osd", "true", "0", "-1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document, from the whole to its leaves."""
    found = [path]
    if isinstance(document, dict):
        items: Any = document.items()
    else:
        items = enumerate(document) if isinstance(document, list) else ()
    for key, value in items:
        found += places(value, (*path, key))
    return found


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The document with something else in that place."""
    if not path:
        return value
    changed = copy.deepcopy(document)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


PLACES = [(command, path) for command in ANSWERS for path in places(ANSWERS[command])]


@settings(max_examples=500)
@example(where=("osd tree", ("nodes", 0, "id")), odd=0)  # the root becomes a child of its host
@given(where=st.sampled_from(PLACES), odd=JSON)
def test_c41_one_odd_place_costs_its_own_sections_alone(where: Any, odd: Any) -> None:
    command, path = where
    errors: list[str] = []
    whole = cluster_view.shape(ANSWERS, errors)
    sections = cluster_view.shape({**ANSWERS, command: put(ANSWERS[command], path, odd)}, errors)
    touched = {name for name, (asked, _make) in cluster_view._SECTIONS.items() if command in asked}
    assert {name: sections.get(name) for name in whole if name not in touched} == {
        name: whole[name] for name in whole if name not in touched
    }
    assert len(errors) >= len([name for name in touched & set(whole) if name not in sections])
    assert answers.parse_cluster({**sections, **ESSENTIALS}) is not None


ESSENTIALS = {
    "fsid": facts.OURS,
    "quorum_names": ["a"],
    "mons": [{"name": "a", "rank": 0, "addrs": ["v2:192.0.2.1:3300/0"]}],
}
STATUS = {
    "health": {
        "status": "HEALTH_WARN",
        "checks": {"OSD_DOWN": {"severity": "HEALTH_WARN", "summary": {"message": "1 osds down"}}},
    },
    "pgmap": {"bytes_total": 300, "bytes_used": 10, "bytes_avail": 290, "num_pgs": 0},
}
SEEN = {
    **ESSENTIALS,
    "status": STATUS,
    "versions": {"mon": {"ceph version 20.2.4 (x) tentacle (stable)": 3}},
    "df": {"total_bytes": 300, "total_used_raw_bytes": 10, "total_avail_bytes": 290},
    "osds": [{"id": 0, "uuid": "u", "up": True, "in": True, "host": "a", "device_class": "hdd"}],
    "mgr": {"available": True, "active": "a", "standbys": ["b"]},
    "mgr_modules": {"enabled": [], "always_on": [], "available": []},
    "config": [{"section": "global", "mask": "", "name": "x", "value": "y"}],
    "auth": [{"entity": "mgr.a", "caps": {"mon": "allow *"}}],
    "errors": [],
}
WORDS = {"confirmation": "yes-really-destroy-data"}
KEPT = [path for path in places(SEEN) if path and path[0] not in ESSENTIALS]


@settings(max_examples=800)
@given(path=st.sampled_from(KEPT), odd=JSON)
def test_c41_the_status_and_the_plan_survive_any_odd_place(path: tuple[Any, ...], odd: Any) -> None:
    found = answers.parse_cluster(put(SEEN, path, odd))
    assert found is not None
    seen = facts.changed(facts.healthy(), cluster=found)
    planning.plan(facts.spec(), seen)
    planning.plan(
        facts.spec(cleanupPolicy={"confirmation": "yes-really-destroy-data"}), seen, deleting=True
    )
    told = status.summarise(cluster(), seen, status.ended(Plan(), None), {}, NOW)
    text = json.dumps(told, allow_nan=False)
    assert len(text) < 20_000
    if path[:2] != ("status", "health") and path != ("status",):
        assert told["ceph"]["health"] == "HEALTH_WARN"
        assert told["ceph"]["details"]["OSD_DOWN"]["message"] == "1 osds down"
    if path[0] == "status" and path[:2] != ("status", "pgmap"):
        assert told["ceph"]["capacity"]["bytesTotal"] == 300
    assert told["ceph"]["fsid"] == facts.OURS


REPORT = {
    "hostname": "store-a",
    "fqdn": "store-a.example",
    "addresses": ["192.0.2.1/24"],
    "ceph_version": "20.2.4",
    "binaries": ["ceph-mon"],
    "conf": {"present": True, "fsid": facts.OURS, "mon_host": "192.0.2.1"},
    "daemons": [
        {
            "type": "mon",
            "id": "a",
            "fsid": facts.OURS,
            "data": True,
            "keyring": True,
            "active": "active",
            "enabled": True,
            "record": "r",
            "drifted": [],
            "mon_state": "leader",
            "monmap_epoch": 3,
            "monmap": [{"name": "a", "addr": "192.0.2.1"}],
        }
    ],
    "devices": [{"name": "sdb", "path": "/dev/sdb", "by_id": "", "type": "disk", "size": 7}],
}


@settings(max_examples=300)
@given(path=st.sampled_from([path for path in places(REPORT) if path]), odd=JSON)
def test_a_host_that_is_not_understood_is_unknown_and_never_empty(
    path: tuple[Any, ...], odd: Any
) -> None:
    host = answers.parse_host(HostName("store-a"), put(REPORT, path, odd))
    assert not host.reachable or host.daemons or path[0] == "daemons"
    if path[0] == "daemons" and len(path) > 1 and host.reachable:
        assert len(host.daemons) == 1


@settings(max_examples=200)
@given(report=JSON, other=JSON)
def test_a_run_whose_reports_are_odd_is_no_view_of_a_cluster(report: Any, other: Any) -> None:
    outcome = Outcome(
        ok=True,
        run="1",
        playbook="facts.yml",
        reports={
            HostName("store-a"): {"host": {}, "cluster": {**SEEN, "mons": other, "x": report}}
        },
    )
    found = answers.cluster_of(outcome)
    assert found is None or found.mons


def test_the_places_are_many() -> None:
    assert (len(PLACES) > 60, len(KEPT) > 30) == (True, True)
