from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd_weight

PLACE = "root=default host=ceph-1"


def osd(osd_id: int, weight: str = "", affinity: str = "") -> dict[str, object]:
    return {"id": osd_id, "initial_weight": weight, "primary_affinity": affinity}


def cluster(ceph) -> None:
    ceph.answers["osd tree"] = {
        "nodes": [{"id": -1, "type": "root"}, {"id": 0, "type": "osd", "crush_weight": 0.5}]
    }
    ceph.answers["osd dump"] = {
        "osds": [{"osd": 0, "primary_affinity": 1}, {"osd": 1, "primary_affinity": 0.4999847}]
    }


def test_only_an_osd_that_is_nowhere_yet_gets_a_weight(run, ceph) -> None:
    cluster(ceph)
    osds = [osd(0, "0.1"), osd(1, "0.25"), osd(7, "1", "1")]
    result = run(ceph_osd_weight, osds=osds, crush_location=PLACE)
    assert result["weights"] == {"1": 0.25}
    assert ceph.changes() == [
        (
            "osd crush create-or-move",
            {"id": 1, "weight": 0.25, "args": ["root=default", "host=ceph-1"]},
        )
    ]


def test_only_another_affinity_is_set(run, ceph) -> None:
    cluster(ceph)
    osds = [osd(0, affinity="0.5"), osd(1, affinity="0.5")]
    result = run(ceph_osd_weight, osds=osds, crush_location=PLACE)
    assert result["affinities"] == {"0": 0.5}
    assert result["diff"]["before"]["primary_affinity"] == {"osd.0": 1.0}
    assert ceph.changes() == [("osd primary-affinity", {"id": 0, "weight": 0.5})]


def test_nothing_wanted_is_nothing_to_do(run, ceph) -> None:
    cluster(ceph)
    assert run(ceph_osd_weight, osds=[osd(0), osd(1)], crush_location=PLACE)["changed"] is False
    assert ceph.changes() == []


def test_check_mode(run, ceph) -> None:
    cluster(ceph)
    result = run(ceph_osd_weight, check=True, osds=[osd(1, "2", "0")], crush_location=PLACE)
    assert (result["weights"], result["affinities"]) == ({"1": 2.0}, {"1": 0.0})
    assert ceph.changes() == []


def test_the_weight_of_one_that_is_there_changes_only_when_it_is_named(run, ceph) -> None:
    cluster(ceph)
    osds = [{"id": 0, "weight": "1.8"}, {"id": 1, "weight": "1"}, {"id": 7, "weight": "1"}]
    result = run(ceph_osd_weight, osds=osds)
    assert result["weights"] == {"0": 1.8}
    assert result["diff"]["before"]["weight"] == {"osd.0": 0.5}
    assert ceph.changes() == [("osd crush reweight", {"name": "osd.0", "weight": 1.8})]


def test_the_weight_that_it_has_is_nothing_to_do(run, ceph) -> None:
    cluster(ceph)
    assert run(ceph_osd_weight, osds=[{"id": 0, "weight": "0.5"}])["changed"] is False


def test_without_a_place_nothing_new_is_put_into_the_map(run, ceph) -> None:
    cluster(ceph)
    assert run(ceph_osd_weight, osds=[osd(1, "0.25")])["changed"] is False
    assert ceph.changes() == []
