"""The flag noout on parts of the CRUSH map."""

from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd_noout

DUMP = {"crush_node_flags": {"node-1": ["noout"], "node-2": ["noup"], "node-3": ["noup", "noout"]}}


def test_only_what_differs_is_flagged(run, ceph) -> None:
    ceph.answers["osd dump"] = DUMP
    result = run(ceph_osd_noout, present=["node-1", "node-2"], absent=["node-3", "node-9"])
    assert result["changed"] is True
    assert result["flagged"] == ["node-1", "node-2"]
    assert ceph.changes() == [
        ("osd unset-group", {"flags": "noout", "who": ["node-3"]}),
        ("osd set-group", {"flags": "noout", "who": ["node-2"]}),
    ]


def test_nothing_to_do(run, ceph) -> None:
    ceph.answers["osd dump"] = DUMP
    assert run(ceph_osd_noout, present=["node-1"], absent=["node-2"])["changed"] is False
    ceph.answers["osd dump"] = {}
    assert run(ceph_osd_noout, absent=["node-2"])["flagged"] == []
    assert ceph.changes() == []


def test_check_mode(run, ceph) -> None:
    ceph.answers["osd dump"] = DUMP
    result = run(ceph_osd_noout, check=True, present=["node-2"], absent=["node-1"])
    assert result["diff"] == {"before": ["node-1", "node-3"], "after": ["node-2", "node-3"]}
    assert ceph.changes() == []
