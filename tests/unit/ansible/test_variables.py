"""A step as its playbook sees it: names and values that the roles know."""

import pytest

from orchestrator.ansible import variables
from orchestrator.model.decisions import WantedDevice
from orchestrator.model.facts import DaemonType, Restarts
from orchestrator.model.names import HostName
from orchestrator.model.plan import (
    AbsentStep,
    ConfigSetting,
    ConfigStep,
    CreationStep,
    HostServices,
    HostStep,
    MgrStep,
    ModuleSetting,
    MonStep,
    OsdHost,
    OsdStep,
    PlacedDaemon,
    PlacedMon,
    Remains,
    RemovedDaemon,
    WantedService,
)
from tests.fakes import facts

BASE = {"changes": (), "fsid": facts.OURS, "mons": facts.MONS, "admin_host": HostName("store-a")}


def vector(number):
    return f"[v2:192.0.2.{number}:3300,v1:192.0.2.{number}:6789]"


SETTING = ConfigSetting(section="global", name="public_network", value="192.0.2.0/24")
COMMON = {
    "ceph_targets": "ceph_targets",
    "ceph_fsid": "0a1b2c3d-1111-4222-8333-444455556666",
    "ceph_mons": [
        {
            "name": "a",
            "host": "store-a",
            "address": "192.0.2.1",
            "addrs": vector(1),
        },
        {
            "name": "b",
            "host": "store-b",
            "address": "192.0.2.2",
            "addrs": vector(2),
        },
        {
            "name": "c",
            "host": "store-c",
            "address": "192.0.2.3",
            "addrs": vector(3),
        },
    ],
    "ceph_admin_host": "store-a",
}
HOSTS = facts.changed(facts.healthy(), facts.host("store-d"))


def for_step(step, seen=HOSTS):
    found = variables.for_step(step, seen, facts.OURS)
    return found.playbook, found.targets, dict(found.hosts), dict(found.extra)


@pytest.mark.parametrize("new_cluster", [True, False])
def test_a_mon_step(new_cluster):
    step = MonStep(
        targets=(PlacedDaemon(id="b", host=HostName("store-b"), record="r"),),
        new_cluster=new_cluster,
        settings=(SETTING,),
        **BASE,
    )

    assert for_step(step) == (
        "mon.yml",
        ("store-b",),
        {
            "store-b": {
                "mon_daemons": [
                    {
                        "id": "b",
                        "address": "192.0.2.2",
                        "addrs": vector(2),
                        "record": "r",
                    }
                ]
            },
            "store-a": {},
            "store-c": {},
        },
        {
            **COMMON,
            "mon_new_cluster": new_cluster,
            "mon_initial_settings": [],
            "config_settings": [
                {"section": "global", "name": "public_network", "value": "192.0.2.0/24"}
            ],
        },
    )


def test_a_mgr_step_groups_by_host():
    step = MgrStep(
        targets=tuple(
            PlacedDaemon(id=name, host=HostName("store-d"), record=f"r{name}") for name in "ab"
        ),
        modules=(ModuleSetting(name="prometheus", enabled=True),),
        **BASE,
    )

    assert for_step(step) == (
        "mgr.yml",
        ("store-d",),
        {
            "store-d": {"mgr_daemons": [{"id": "a", "record": "ra"}, {"id": "b", "record": "rb"}]},
            "store-a": {},
            "store-b": {},
            "store-c": {},
        },
        {
            **COMMON,
            "mgr_modules": [{"name": "prometheus", "enabled": True}],
            "mgr_active_timeout": 0,
        },
    )


def test_modules_alone_are_set_from_the_admin_host():
    step = MgrStep(targets=(), modules=(ModuleSetting(name="alerts", enabled=False),), **BASE)

    _, targets, hosts, extra = for_step(step)

    assert targets == ("store-a",)
    assert hosts["store-a"] == {}
    assert extra["mgr_modules"] == [{"name": "alerts", "enabled": False}]


def test_a_config_step_runs_on_the_admin_host():
    playbook, targets, hosts, extra = for_step(ConfigStep(settings=(SETTING,), **BASE))

    assert (playbook, targets) == ("config.yml", ("store-a",))
    assert hosts == {"store-a": {}, "store-b": {}, "store-c": {}}
    assert extra == {
        **COMMON,
        "config_settings": [
            {"section": "global", "name": "public_network", "value": "192.0.2.0/24"}
        ],
        "config_removed_users": [],
    }


def test_an_osd_step_names_devices_without_empty_fields():
    step = OsdStep(
        hosts=(
            OsdHost(
                host=HostName("store-d"),
                crush_location="root=default host=store-d",
                record="r",
                devices=(
                    WantedDevice(path="/dev/sdb"),
                    WantedDevice(path="/dev/sdc", device_class="ssd"),
                ),
            ),
        ),
        **BASE,
    )

    playbook, targets, hosts, extra = for_step(step)

    assert (playbook, targets) == ("osd.yml", ("store-d",))
    assert hosts["store-d"] == {
        "osd_devices": [{"path": "/dev/sdb"}, {"path": "/dev/sdc", "device_class": "ssd"}],
        "osd_crush_location": "root=default host=store-d",
        "osd_record": "r",
    }
    assert extra == {**COMMON, "osd_look_first": False}


def test_a_mon_host_that_does_not_answer_is_not_in_the_limit():
    step = ConfigStep(settings=(SETTING,), **BASE)

    _, _, hosts, _ = for_step(step, facts.changed(HOSTS, facts.silent("store-b")))

    assert list(hosts) == ["store-a", "store-c"]


def test_a_mon_without_a_known_host_keeps_its_address():
    mons = (*facts.MONS[:2], PlacedMon(name="c", host=None, address="192.0.2.3"))

    _, _, _, extra = for_step(ConfigStep(settings=(), **{**BASE, "mons": mons}))

    assert extra["ceph_mons"][2] == {
        "name": "c",
        "host": "",
        "address": "192.0.2.3",
        "addrs": vector(3),
    }


def test_no_variable_is_a_key():
    step = MonStep(
        targets=(PlacedDaemon(id="a", host=HostName("store-a"), record="r"),),
        new_cluster=True,
        **BASE,
    )

    _, _, _, extra = for_step(step)

    assert not [name for name in extra if "key" in name or "secret" in name]


def removed(kind, name, host, data=Remains.KEEP):
    return RemovedDaemon(type=kind, id=name, host=HostName(host), data=data)


def test_an_absent_step_groups_by_host_and_kind():
    step = AbsentStep(
        daemons=(
            removed(DaemonType.MGR, "b", "store-b", Remains.DELETE),
            removed(DaemonType.OSD, "1", "store-b"),
            removed(DaemonType.MGR, "c", "store-c", Remains.DELETE),
        ),
        users=("mgr.b", "mgr.c"),
        **BASE,
    )

    assert for_step(step) == (
        "absent.yml",
        ("store-b", "store-c"),
        {
            "store-b": {
                "mgr_removed": [{"id": "b", "data": "delete"}],
                "osd_removed": [{"id": "1", "data": "keep"}],
            },
            "store-c": {"mgr_removed": [{"id": "c", "data": "delete"}]},
            "store-a": {},
        },
        {**COMMON, "mon_unmapped": [], "mgr_removed_users": ["mgr.b", "mgr.c"]},
    )


def test_a_mon_of_no_known_host_leaves_the_map_on_the_admin_host():
    found = for_step(AbsentStep(unmapped=("d",), **BASE))

    assert (found[1], found[3]["mon_unmapped"]) == (("store-a",), ["d"])


def creation():
    """Mons on two hosts, a mgr on one of them, and OSDs on a third one."""
    placed = [PlacedDaemon(id=name, host=f"store-{name}", record="x") for name in ("a", "b")]
    disks = OsdHost(host="store-c", crush_location="root=default host=store-c", record="z")
    parts = (
        MonStep(targets=tuple(placed), new_cluster=True, **BASE),
        MgrStep(targets=(placed[1],), modules=(), **BASE),
        OsdStep(hosts=(disks,), **BASE),
    )
    return CreationStep(parts=parts, **BASE)


def test_a_creation_tells_each_play_its_hosts_and_each_host_its_daemons():
    playbook, targets, hosts, extra = for_step(creation())

    assert playbook == "site.yml"
    assert targets == ("store-a", "store-b", "store-c")
    assert {name: value for name, value in extra.items() if name.endswith("_targets")} == {
        "ceph_targets": "ceph_targets",
        "mon_targets": ["store-a", "store-b"],
        "mgr_targets": ["store-b"],
        "osd_targets": ["store-c"],
    }
    assert (extra["mon_new_cluster"], extra["osd_look_first"]) == (True, False)
    assert set(hosts["store-a"]) == {"mon_daemons"}
    assert set(hosts["store-b"]) == {"mon_daemons", "mgr_daemons"}
    assert hosts["store-c"]["osd_record"] == "z"


def test_a_part_that_a_creation_lacks_has_no_hosts():
    step = CreationStep(parts=creation().parts[:2], **BASE)

    assert for_step(step)[3]["osd_targets"] == []


def test_restarts_and_whom_to_ask_about_next_are_named_only_when_there_are_any():
    hosts = (
        OsdHost(host="store-a", crush_location="", record="r", restarts=(26,)),
        OsdHost(host="store-b", crush_location="", record="r"),
    )
    step = OsdStep(
        hosts=hosts,
        changes=(),
        fsid=facts.OURS,
        mons=(),
        admin_host="store-a",
        need_consent=False,
        next=Restarts(waiting=(28, 27), begun=(26, 27, 28), at_once=20),
    )

    found = variables.for_step(step, facts.healthy(), facts.OURS)

    assert found.hosts["store-a"]["osd_restarts"] == [26]
    assert "osd_restarts" not in found.hosts["store-b"]
    assert found.extra["osd_restarts_need_consent"] is False
    assert found.extra["facts_restarting_osds"] == [28, 27]
    assert found.extra["facts_restarting_at_once"] == 20


def test_services_are_for_their_hosts_and_come_with_any_step():
    wanted = WantedService(
        name="logrotate", present=True, record="r", settings={"periodicity": "hourly"}
    )
    gone = WantedService(name="crash", present=False)
    services = (HostServices(host=HostName("store-d"), services=(wanted, gone)),)

    playbook, targets, hosts, extra = for_step(HostStep(services=services, **BASE))

    assert (playbook, targets, extra["service_hosts"]) == ("hosts.yml", ("store-a",), ["store-d"])
    assert hosts["store-d"] == {
        "host_services": ["logrotate", "crash"],
        "logrotate_state": "present",
        "logrotate_record": "r",
        "logrotate_periodicity": "hourly",
        "crash_state": "absent",
    }


def test_sizes_of_osds_are_asked_for_beside_whatever_else_is():
    assert variables.asking(Restarts(sizes=True)) == {"facts_grown_osds": True}
    both = variables.asking(Restarts(sizes=True, waiting=(3,), at_once=2))
    assert both == {
        "facts_grown_osds": True,
        "facts_restarting_osds": [3],
        "facts_restarting_at_once": 2,
    }
