import json
from pathlib import Path
from typing import Any, Self

import pytest
import yaml
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_client,
    ceph_install,
    cluster_view,
    daemons,
    devices,
    monmap,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_host_info

KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="
MEMBER = monmap.Member(name="a", rank=0, addrs=("v2:10.1.2.3:3300/0",))
LOST = monmap.MonView(fsid="f", epoch=1, state="probing", members=())
LEADER = monmap.MonView(fsid="f", epoch=1, state="leader", quorum=(0,), members=(MEMBER,))
PEON = monmap.MonView(fsid="f", epoch=1, state="peon", quorum=(0,), members=(MEMBER,))
MON = daemons.Mon(
    type="mon",
    id="a",
    data=True,
    keyring=True,
    active="active",
    enabled=True,
    record="",
    drifted=[],
)
DISK = devices.Device(
    name="sda",
    path="/dev/sda",
    type="disk",
    size=1,
    osd={"id": 0, "uuid": "u", "fsid": "f", "description": "main"},
)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, monmap.MonView]:
    """A host with one mon and one disk; every file that could hold a key holds one."""
    views: dict[str, monmap.MonView] = {}
    conf, admin = tmp_path / "ceph.conf", tmp_path / "admin.keyring"
    conf.write_text(f"[global]\nfsid = f\nmon_host = 10.1.2.3\nkey = {KEY}\n")
    admin.write_text(f"[client.admin]\nkey = {KEY}\n")
    monkeypatch.setattr(ceph_install, "CONF", conf)
    monkeypatch.setattr(ceph_install, "ADMIN_KEYRING", admin)
    monkeypatch.setattr(daemons, "DATA", tmp_path)
    monkeypatch.setattr(daemons, "collect", lambda _errors: ([MON], views))
    monkeypatch.setattr(devices, "collect", lambda _seconds, _errors: [DISK])
    return views


class Client:
    """A cluster whose every answer and every refusal carries a key."""

    def __init__(self, name: str, keyring: str, timeout: float) -> None:
        self.settings = (name, keyring, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_args: object) -> None: ...

    def command(self, prefix: str, **_arguments: Any) -> Any:
        if prefix == "auth ls":
            return {"auth_dump": [{"entity": "osd.0", "key": KEY, "caps": {"osd": "allow *"}}]}
        raise ceph_client.CephError(22, f"{prefix}: refused for key {KEY}")


def test_the_result_has_every_documented_field(machine: dict[str, monmap.MonView]) -> None:
    documented = yaml.safe_load(ceph_host_info.RETURN)
    seen = ceph_host_info.observe(1.0, 1.0)
    assert set(seen) == set(documented)
    assert set(seen["host"]) == set(documented["host"]["contains"])
    sample = documented["host"]["contains"]
    assert set(seen["host"]["daemons"][0]) == set(sample["daemons"]["sample"][0])
    assert set(seen["host"]["devices"][0]) == set(sample["devices"]["sample"][0])
    assert set(seen["host"]["devices"][0]["osd"]) == set(sample["devices"]["sample"][0]["osd"])
    assert set(seen["host"]["conf"]) == set(sample["conf"]["sample"])


def test_the_sample_of_the_cluster_has_every_section() -> None:
    sample = yaml.safe_load(ceph_host_info.RETURN)["cluster"]["sample"]
    sections = {*cluster_view._SECTIONS, *cluster_view.from_mon(LEADER), "ok_to_stop", "errors"}
    assert set(sample) == sections


@pytest.mark.parametrize(("view", "asks"), [(LEADER, True), (PEON, False), (None, False)])
def test_only_the_leader_s_host_speaks_for_the_cluster(
    machine: dict[str, monmap.MonView],
    monkeypatch: pytest.MonkeyPatch,
    view: monmap.MonView | None,
    asks: bool,  # noqa: FBT001
) -> None:
    if view:
        machine["a"] = view
    monkeypatch.setattr(ceph_client, "CephClient", Client)
    seen = ceph_host_info.observe(1.0, 1.0)
    assert (seen["cluster"] is not None) is asks


@pytest.mark.parametrize(("view", "asks"), [(LEADER, True), (PEON, True), (LOST, False)])
def test_a_mon_that_follows_speaks_where_it_is_asked_to(
    machine: dict[str, monmap.MonView],
    monkeypatch: pytest.MonkeyPatch,
    view: monmap.MonView,
    asks: bool,  # noqa: FBT001
) -> None:
    machine["a"] = view
    monkeypatch.setattr(ceph_client, "CephClient", Client)
    assert (ceph_host_info.observe(1.0, 1.0, speaks=True)["cluster"] is not None) is asks


def test_keys_never_appear(
    machine: dict[str, monmap.MonView], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine["a"] = LEADER
    monkeypatch.setattr(ceph_client, "CephClient", Client)
    text = json.dumps(ceph_host_info.observe(1.0, 1.0))
    assert KEY not in text
    assert "refused for key" in text
    assert '"osd.0"' in text


def test_the_mon_s_own_keyring_is_the_second_way(
    machine: dict[str, monmap.MonView], tmp_path: Path
) -> None:
    (tmp_path / "mon" / "ceph-a").mkdir(parents=True)
    (tmp_path / "mon" / "ceph-a" / "keyring").touch()
    assert [name for name, _file in ceph_host_info._keyrings("a")] == ["client.admin", "mon."]
    ceph_install.ADMIN_KEYRING.unlink()
    assert [name for name, _file in ceph_host_info._keyrings("a")] == ["mon."]


def test_options_and_their_documentation_agree() -> None:
    options = yaml.safe_load(ceph_host_info.DOCUMENTATION)["options"]
    assert {name: option["default"] for name, option in options.items()} == {
        "device_timeout": 5.0,
        "cluster_timeout": 10.0,
        "digests": {},
        "restarting_osds": [],
        "restarting_at_once": 20,
        "grown_osds": False,
        "speaks": False,
    }
    assert yaml.safe_load(ceph_host_info.EXAMPLES)
