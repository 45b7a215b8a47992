"""The status table: kubectl's columns, then what Ceph says."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from orchestrator.console.statuses import _since, status_table
from orchestrator.model.names import ClusterKey
from tests.fakes.facts import OURS

STATUS = {
    "phase": "Ready",
    "message": "Cluster created successfully",
    "conditions": [
        {
            "type": "Ready",
            "status": "True",
            "message": "Cluster created successfully",
            "lastTransitionTime": "2020-01-02T03:04:05Z",
        }
    ],
    "ceph": {
        "health": "HEALTH_WARN",
        "fsid": OURS,
        "details": {"OSD_DOWN": {"severity": "HEALTH_WARN", "message": "1 osds [down]"}},
        "capacity": {"bytesTotal": 32212254720, "bytesUsed": 1073741824},
        "versions": {
            "mon": {"ceph version 20.2.4 (abc) tentacle (stable)": 3},
            "overall": {"ceph version 20.2.4 (abc) tentacle (stable)": 8},
        },
    },
}


def shown(status):
    out = io.StringIO()
    Console(file=out, width=160).print(status_table(ClusterKey("rook-ceph", "test"), status))
    return [line.split() for line in out.getvalue().splitlines() if line.strip()]


def test_c35_the_table_tells_where_the_active_mgr_serves():
    mgr = {
        "active": "b",
        "available": True,
        "host": "store-b",
        "services": {"prometheus": "http://192.0.2.2:9283/"},
    }
    assert ["active", "mgr", "b", "on", "store-b"] in shown({**STATUS, "mgr": mgr})
    lines = shown({**STATUS, "mgr": {**mgr, "available": False}})
    assert ["prometheus", "http://192.0.2.2:9283/"] in lines
    assert "active mgr b on store-b, and no mgr is active now" in [" ".join(one) for one in lines]


def test_the_table_has_kubectls_columns_and_cephs_details():
    lines = shown(STATUS)

    assert lines[0] == ["NAMESPACE", "NAME", "PHASE", "MESSAGE", "HEALTH", "FSID"]
    assert lines[2][:3] == ["rook-ceph", "test", "Ready"]
    assert lines[2][-2:] == ["HEALTH_WARN", OURS]
    assert ["mon", "3", "on", "20.2.4"] in lines
    assert ["capacity", "1.0", "of", "30.0", "GiB", "used"] in lines
    assert ["OSD_DOWN", "1", "osds", "[down]"] in lines
    assert not [line for line in lines if line[0] == "overall"]
    assert lines[-1][0] == "Ready=True"
    assert lines[-1][-2:] == ["(since", "2020-01-02T03:04:05Z)"]


def test_a_cluster_that_was_never_seen_has_a_row_all_the_same():
    lines = shown({"phase": "Progressing", "message": "Configuring Ceph Mons"})

    assert lines[-1] == ["rook-ceph", "test", "Progressing", "Configuring", "Ceph", "Mons"]


@pytest.mark.parametrize(
    ("ago", "expected"), [(timedelta(seconds=65), " (for 1m05s)"), (timedelta(0), " (for 0m00s)")]
)
def test_a_recent_change_says_how_long_ago(ago, expected):
    stamp = (datetime.now(UTC) - ago).strftime("%Y-%m-%dT%H:%M:%SZ")

    assert _since(stamp) == expected


def test_an_unreadable_time_is_left_out():
    assert _since("") == ""
