"""What of OSDs that are there follows the manifest, and only if it says so."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import GrownOsd, Osd
from orchestrator.model.names import HostName, OsdId
from orchestrator.model.plan import ConfigStep
from tests.fakes import facts

ALLOWED = "as storage.allowDeviceClassUpdate allows"
GROWS = "as storage.allowOsdCrushWeightUpdate allows"


def osds(*classes, **values):
    return tuple(
        Osd(
            **{
                "id": OsdId(number),
                "uuid": facts.uuid(number),
                "up": True,
                "in_": True,
                "host": f"store-{'abc'[number]}",
                "device_class": name,
                **values,
            }
        )
        for number, name in enumerate(classes)
    )


def found(*classes, **values):
    return facts.changed(facts.healthy(), cluster=facts.view(osds=osds(*classes, **values)))


def spec(**storage):
    return facts.spec(
        mgr={"count": 2}, storage={"useAllNodes": True, "useAllDevices": True, **storage}
    )


def planned(*classes, **storage):
    return planning.plan(spec(**storage), found(*classes))


def told(plan):
    return [one.message for one in plan.notices if one.code == "DeviceClassDiffers"]


def test_another_class_is_set_where_the_manifest_allows_it():
    plan = planned("hdd", "ssd", "", config={"deviceClass": "ssd"}, allowDeviceClassUpdate=True)
    (step,) = plan.steps
    assert isinstance(step, ConfigStep)
    assert dict(step.device_classes) == {0: "ssd", 2: "ssd"}
    assert [f"{one.action} {one.subject} on {one.host}: {one.reason}" for one in step.changes] == [
        f"set device class of osd.0 on store-a: ssd instead of hdd, {ALLOWED}",
        f"set device class of osd.2 on store-c: ssd and it has none, {ALLOWED}",
    ]
    assert told(plan) == []


def test_nothing_is_left_to_do_once_it_is_so():
    plan = planned("ssd", "ssd", "ssd", config={"deviceClass": "ssd"}, allowDeviceClassUpdate=True)
    assert plan.converged


def test_else_it_stays_and_a_notice_says_so():
    plan = planned("hdd", "ssd", "hdd", config={"deviceClass": "ssd"})
    assert plan.steps == ()
    (text,) = told(plan)
    assert text == (
        "the manifest gives osd.0, osd.2 the device class ssd, and Ceph has hdd; it stays so, as a "
        "change may move data. Set spec.storage.allowDeviceClassUpdate to true to change it"
    )


@pytest.mark.parametrize("allowed", [True, False])
def test_a_manifest_that_gives_no_class_changes_none(allowed):
    plan = planned("hdd", "ssd", "nvme", allowDeviceClassUpdate=allowed)
    assert plan.converged
    assert told(plan) == []


def test_the_class_of_a_single_device_goes_before_that_of_its_node():
    nodes = [
        {
            "name": "store-a",
            "config": {"deviceClass": "ssd"},
            "devices": [{"name": "sdb", "config": {"deviceClass": "fast"}}],
        },
        {"name": "store-b", "config": {"deviceClass": "ssd"}},
        {"name": "store-c"},
    ]
    plan = planned("hdd", "hdd", "hdd", useAllNodes=False, nodes=nodes, allowDeviceClassUpdate=True)
    assert dict(plan.steps[0].device_classes) == {0: "fast", 1: "ssd"}


def test_an_osd_that_is_not_in_the_crush_map_has_no_class_to_change():
    one = found("", "", "", host="")
    wanted = spec(config={"deviceClass": "ssd"}, allowDeviceClassUpdate=True)
    assert planning.plan(wanted, one).converged


def test_a_number_that_another_osd_has_now_says_nothing_of_the_disk():
    other = found("hdd", "hdd", "hdd", uuid="22222222-0000-4000-8000-000000000000")
    wanted = spec(config={"deviceClass": "ssd"}, allowDeviceClassUpdate=True)
    assert not any(isinstance(one, ConfigStep) for one in planning.plan(wanted, other).steps)


def test_the_osd_of_a_volume_is_that_of_its_disk():
    seen = found("hdd", "hdd", "hdd")
    disk = facts.disk("sdb", filesystem="LVM2_member", children=("dm-0",))
    volume = replace(facts.osd_disk("dm-0", 0), type="lvm", parent="sdb")
    host = replace(seen.hosts[HostName("store-a")], devices=(disk, volume))
    devices = [{"name": "sdb", "config": {"deviceClass": "ssd"}}]
    nodes = [{"name": "store-a", "devices": devices}]
    wanted = spec(useAllNodes=False, nodes=nodes, allowDeviceClassUpdate=True)
    (step,) = planning.plan(wanted, facts.changed(seen, host)).steps
    assert isinstance(step, ConfigStep)
    assert dict(step.device_classes) == {0: "ssd"}


def grown(*, allowed):
    osd = GrownOsd(id=OsdId(0), weight=0.909, size=1.8189)
    one = found("hdd", "hdd", "hdd")
    seen = replace(one, cluster=replace(one.cluster, grown_osds=(osd,)))
    return planning.plan(spec(allowOsdCrushWeightUpdate=allowed), seen)


def test_the_weight_of_an_osd_that_has_grown_follows_its_size_where_that_is_allowed():
    (step,) = grown(allowed=True).steps
    assert isinstance(step, ConfigStep)
    assert dict(step.weights) == {0: 1.8189}
    assert [f"{one.action} {one.subject}: {one.reason}" for one in step.changes] == [
        f"set CRUSH weight of osd.0: 1.8189 instead of 0.909, by its size, {GROWS}"
    ]


def test_else_no_weight_changes():
    assert grown(allowed=False).converged
