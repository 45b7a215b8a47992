from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd_device_class

TREE = {
    "nodes": [
        {"id": -1, "type": "root", "name": "default"},
        {"id": 0, "type": "osd", "device_class": "hdd"},
        {"id": 1, "type": "osd", "device_class": "ssd"},
        {"id": 2, "type": "osd"},
    ]
}


def wanted(*classes: str) -> list[dict[str, object]]:
    return [{"id": osd_id, "device_class": name} for osd_id, name in enumerate(classes)]


def test_only_osds_of_another_class_are_changed(run, ceph) -> None:
    ceph.answers["osd tree"] = TREE
    result = run(ceph_osd_device_class, osds=wanted("hdd", "nvme", "nvme", "hdd"))
    assert result["classes"] == {"1": "nvme", "2": "nvme"}
    assert ceph.changes() == [
        ("osd crush rm-device-class", {"ids": ["osd.1"]}),
        ("osd crush set-device-class", {"class": "nvme", "ids": ["osd.1"]}),
        ("osd crush set-device-class", {"class": "nvme", "ids": ["osd.2"]}),
    ]


def test_nothing_to_do(run, ceph) -> None:
    ceph.answers["osd tree"] = TREE
    assert run(ceph_osd_device_class, osds=wanted("hdd", "ssd"))["changed"] is False
    assert ceph.changes() == []


def test_check_mode(run, ceph) -> None:
    ceph.answers["osd tree"] = TREE
    result = run(ceph_osd_device_class, check=True, osds=wanted("ssd"))
    assert result["diff"] == {"before": {"osd.0": "hdd"}, "after": {"osd.0": "ssd"}}
    assert ceph.changes() == []
