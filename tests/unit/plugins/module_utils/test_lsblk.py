"""What lsblk prints, also of an old or a broken one (C09, C53)."""

import json

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    child,
    devices,
    lsblk,
    sysfs,
)

from tests.fakes.listings import node


def test_mounts_and_old_number_formats() -> None:
    text = json.dumps(
        {
            "blockdevices": [
                node("sda", size="480103981056", ro="0", rota="1", rm="0", mountpoint="/old"),
                node("sdb", mountpoints=["/", None, "[SWAP]"], rota="0"),
            ]
        }
    )
    old, new = lsblk.parse(text.replace('"mountpoints": [null]', '"mountpoints": null'))
    assert (old.size, old.read_only, old.rotational) == (480103981056, False, True)
    assert old.mountpoints == ("/old",)
    assert new.mountpoints == ("/", "[SWAP]")
    assert not new.rotational


@pytest.mark.parametrize(
    "model", [r"odd\x20model", "tab\there", "caf\u00e9 \u2603", r"raw\xff", '"quoted"']
)
def test_odd_names_never_break_the_result(model: str) -> None:
    raw = json.dumps(node("sda", model="MODEL")).replace("MODEL", model.replace('"', '\\"'))
    (device,) = lsblk.parse(f'{{"blockdevices": [{raw}]}}')
    assert json.dumps(device.result()).encode()
    assert model[:3].strip() in device.model


@pytest.mark.parametrize("text", ["", "[]", "{", "no such column"])
def test_c53_an_unreadable_list_is_never_an_empty_one(text: str) -> None:
    with pytest.raises(devices.DeviceError):
        lsblk.parse(text)


def test_an_older_lsblk_is_asked_for_less(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def output(command: list[str], _seconds: float) -> tuple[int, str, str]:
        asked.append(command[-1])
        if "MOUNTPOINTS" in command[-1]:
            return 1, "", "lsblk: unknown column: MOUNTPOINTS"
        return 0, '{"blockdevices": []}', ""

    monkeypatch.setattr(child, "output", output)
    assert lsblk.parse(lsblk._lsblk()) == []
    assert len(asked) == 2


@pytest.mark.parametrize("failure", [FileNotFoundError(2, "lsblk"), TimeoutError("no answer")])
def test_a_missing_or_hanging_lsblk_is_an_error(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def output(_command: list[str], _seconds: float) -> tuple[int, str, str]:
        raise failure

    monkeypatch.setattr(child, "output", output)
    with pytest.raises(devices.DeviceError, match="lsblk"):
        lsblk._lsblk()


def test_an_empty_line_of_lsblk_is_nothing() -> None:
    text = json.dumps({"blockdevices": [{}, None, node("sdd"), {"name": None}]})
    assert [device.name for device in lsblk.parse(text)] == ["sdd"]


def test_c09_lsblk_s_exit_code_does_not_cost_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({"blockdevices": [node("sdd")]})
    complaint = "lsblk: /dev/sr0: not a block device"
    monkeypatch.setattr(child, "output", lambda _command, _seconds: (32, text, complaint))
    assert [device.name for device in lsblk.collect([])] == ["sdd"]


def test_when_lsblk_hangs_the_kernel_s_list_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def output(_command: list[str], _seconds: float) -> tuple[int, str, str]:
        raise TimeoutError("no answer within 5 s")

    monkeypatch.setattr(child, "output", output)
    monkeypatch.setattr(sysfs, "tree", lambda: [node("sdd")])
    errors: list[str] = []
    assert [device.name for device in lsblk.collect(errors)] == ["sdd"]
    assert errors == ["lsblk: no answer within 5 s; the devices are those that the kernel lists"]
    monkeypatch.setattr(sysfs, "tree", list)
    with pytest.raises(devices.DeviceError, match="no answer"):
        lsblk.collect(errors)


def test_sixty_devices_stay_small() -> None:
    nodes = [
        node(f"sd{number}", model="M" * 40, serial="S" * 20, wwn="0x5000c500a1b2c3d4")
        for number in range(60)
    ]
    found = lsblk.parse(json.dumps({"blockdevices": nodes}))
    for device in found:
        device.links = tuple(f"/dev/disk/by-{kind}/{'x' * 40}" for kind in "abcde")
        device.osd = {"id": 1000, "uuid": "u" * 36, "fsid": "f" * 36, "description": "main"}
    assert len(json.dumps([device.result() for device in found])) < 60_000
