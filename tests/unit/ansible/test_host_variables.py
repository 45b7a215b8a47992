"""What one host of a step is told: its devices and daemons, in values that YAML can hold."""

import pytest
import yaml

from orchestrator.ansible import host_variables
from orchestrator.model.decisions import Mode, WantedDevice
from orchestrator.model.facts import DaemonType
from orchestrator.model.plan import (
    AbsentStep,
    MgrStep,
    OsdClass,
    OsdHost,
    OsdStep,
    PlacedDaemon,
    Remains,
    RemovedDaemon,
)
from orchestrator.model.resources import DaemonResources
from tests.fakes import facts

BASE = {"changes": (), "fsid": facts.OURS, "mons": facts.MONS, "admin_host": "store-a"}
AMOUNTS = DaemonResources(memory_limit=7, memory_request=5, cpu_limit=1500)


def osds(**values):
    host = OsdHost(host="store-d", crush_location="", record="r", **values)
    return host_variables.of(OsdStep(hosts=(host,), **BASE), facts.healthy())["store-d"]


def test_what_a_device_is_to_become_is_given_in_plain_values_that_yaml_can_hold():
    full = WantedDevice(
        path="/dev/sdb",
        mode=Mode.LVM,
        osds_per_device=2,
        encrypted=True,
        metadata_device="/dev/nvme0n1",
        database_size_mb=1024,
        initial_weight="0",
    )

    found = osds(devices=(full,), ignored=(facts.uuid(3),))

    assert found["osd_ignored_uuids"] == [facts.uuid(3)]
    assert yaml.safe_load(yaml.safe_dump(found))["osd_devices"] == [
        {
            "path": "/dev/sdb",
            "mode": "lvm",
            "osds_per_device": 2,
            "encrypted": True,
            "metadata_device": "/dev/nvme0n1",
            "database_size_mb": 1024,
            "initial_weight": "0",
        }
    ]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("c", Remains.ASIDE, True),
        ("c", Remains.DELETE, True),
        ("c", Remains.KEEP, False),
        ("x", Remains.ASIDE, False),
    ],
)
def test_the_keys_leave_a_host_with_its_last_mon_and_its_data(name, data, expected):
    mon = RemovedDaemon(type=DaemonType.MON, id=name, host="store-c", data=data)

    found = host_variables.of(AbsentStep(daemons=(mon,), **BASE), facts.healthy())

    assert found["store-c"].get("mon_keys_removed", False) is expected


def test_a_daemon_is_limited_by_what_a_supervisor_knows():
    target = PlacedDaemon(id="a", host="store-d", record="r", resources=AMOUNTS)

    found = host_variables.of(MgrStep(targets=(target,), modules=(), **BASE), facts.healthy())

    limits = {"memory_limit": 7, "cpu_limit": 1500}
    assert found["store-d"]["mgr_daemons"] == [{"id": "a", "record": "r", "resources": limits}]


def test_osds_are_limited_by_their_class():
    one = OsdClass(record="r.s", resources=AMOUNTS, environment={"POD_MEMORY_LIMIT": "7"})

    found = osds(classes={"": one}, device_classes={3: "ssd"})

    assert found["osd_resources"] == {
        "": {
            "record": "r.s",
            "resources": {"memory_limit": 7, "cpu_limit": 1500},
            "environment": {"POD_MEMORY_LIMIT": "7"},
        }
    }
    assert found["osd_known_classes"] == {"3": "ssd"}
