"""The ratios at which OSDs count as full."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd_full_ratio

DUMP = {
    "full_ratio": 0.949999988079071,
    "backfillfull_ratio": 0.8999999761581421,
    "nearfull_ratio": 0.8500000238418579,
}
NOW = {"nearfull": 0.85, "backfillfull": 0.9, "full": 0.95}


@pytest.fixture(autouse=True)
def _dump(ceph) -> None:
    ceph.answers["osd dump"] = DUMP


def test_only_what_differs_is_set(run, ceph) -> None:
    result = run(ceph_osd_full_ratio, nearfull=0.7, full=0.95)
    assert (result["changed"], result["set"]) == (True, ["nearfull"])
    assert result["ratios"] == {**NOW, "nearfull": 0.7}
    assert result["diff"] == {"before": NOW, "after": {**NOW, "nearfull": 0.7}}
    assert ceph.changes() == [("osd set-nearfull-ratio", {"ratio": 0.7})]


def test_what_ceph_gives_back_of_the_same_numbers_is_no_difference(run, ceph) -> None:
    assert run(ceph_osd_full_ratio, **NOW)["changed"] is False
    assert run(ceph_osd_full_ratio)["ratios"] == NOW
    assert ceph.changes() == []


def test_check_mode(run, ceph) -> None:
    assert run(ceph_osd_full_ratio, check=True, full=0.96)["set"] == ["full"]
    assert ceph.changes() == []


def test_before_there_is_a_cluster_check_mode_takes_cephs_own(run, ceph, monkeypatch) -> None:
    monkeypatch.setattr(cluster, "is_unknown", lambda: True)
    assert run(ceph_osd_full_ratio, check=True, full=0.96, nearfull=0.85)["set"] == ["full"]
    assert ceph.sent == []


@pytest.mark.parametrize(
    ("wanted", "order"),
    [
        ({"nearfull": 0.96, "backfillfull": 0.97, "full": 0.98}, "full backfillfull nearfull"),
        ({"nearfull": 0.5, "backfillfull": 0.6, "full": 0.7}, "nearfull backfillfull full"),
        ({"nearfull": 0.91, "backfillfull": 0.92, "full": 0.93}, "backfillfull nearfull full"),
        ({"nearfull": 0.5, "backfillfull": 0.94}, "backfillfull nearfull"),
    ],
)
def test_no_ratio_is_ever_above_the_next(wanted, order) -> None:
    kinds = ceph_osd_full_ratio.difference(NOW, wanted)
    assert kinds == order.split()
    passing = dict(NOW)
    for kind in kinds:
        passing[kind] = wanted[kind]
        assert passing["nearfull"] <= passing["backfillfull"] <= passing["full"]
