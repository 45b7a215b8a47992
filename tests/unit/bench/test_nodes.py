"""What is read of the operator's metrics."""

from bench import nodes

PAGE = """\
# TYPE ceph_orchestrator_pass_duration_seconds histogram
ceph_orchestrator_pass_duration_seconds_bucket{le="0.5",name="b",namespace="a"} 1.0
ceph_orchestrator_pass_duration_seconds_count{name="b",namespace="a"} 3.0
ceph_orchestrator_pass_duration_seconds_sum{name="b",namespace="a"} 4.5
ceph_orchestrator_pass_duration_seconds_count{name="c",namespace="a"} 1.0
ceph_orchestrator_pass_duration_seconds_sum{name="c",namespace="a"} 0.25
ceph_orchestrator_pass_duration_seconds_created{name="b",namespace="a"} 1.7e+09
"""


def test_the_moment_of_an_osds_boot_is_read_of_cephs_log():
    log = [
        {"stamp": "2026-11-30T20:00:01.500000+0000", "message": "osd.0 [v2:1.2.3.4:1/2] boot"},
        {"stamp": "2026-11-30T20:00:02.000000+0000", "message": "osd.1 failed (root=default)"},
        {"stamp": "2026-11-30T21:00:03.250000+0100", "message": "osd.10 [v2:1.2.3.4:5/6] boot"},
    ]
    assert nodes.booted(log) == {"osd.0": 1796068801.5, "osd.10": 1796068803.25}


def test_passes_of_all_clusters_are_counted():
    assert nodes.parsed(PAGE) == (4.0, 4.75)
