from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    admin_socket,
    child,
    monmap,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
STATUS: dict[str, Any] = {
    "name": "b",
    "rank": 1,
    "state": "leader",
    "quorum": [1, 2],
    "monmap": {
        "epoch": 3,
        "fsid": FSID,
        "mons": [
            {
                "rank": rank,
                "name": name,
                "public_addrs": {
                    "addrvec": [
                        {"type": "v2", "addr": f"10.1.2.{rank}:3300", "nonce": 0},
                        {"type": "v1", "addr": f"10.1.2.{rank}:6789", "nonce": 0},
                    ]
                },
                "public_addr": f"10.1.2.{rank}:6789/0",
            }
            for rank, name in enumerate("abc")
        ],
    },
}
PRINTED = f"""\
monmaptool: monmap file /tmp/x
epoch 0
fsid {FSID}
last_changed 2026-11-29T20:25:00.000000+0000
created 2026-11-29T20:25:00.000000+0000
min_mon_release 20 (tentacle)
election_strategy: 1
0: [v2:10.1.2.3:3300/0,v1:10.1.2.3:6789/0] mon.a
1: v1:10.1.2.4:6789/0 mon.host-b.example
2: [v2:[fd00::5]:3300/0,v1:[fd00::5]:6789/0] mon.c
"""


def test_a_running_mon_s_view() -> None:
    view = monmap.parse_status(STATUS)
    assert (view.fsid, view.epoch, view.state) == (FSID, 3, "leader")
    assert view.leads
    assert view.quorum_names == ["b", "c"]
    assert view.members[0].addrs == ("v2:10.1.2.0:3300/0", "v1:10.1.2.0:6789/0")


@pytest.mark.parametrize(
    ("modified", "seconds"),
    [
        ("2026-11-29T20:25:00.500000Z", 90.0),
        ("2026-11-29T20:25:00.500000+0000", 90.0),
        ("2026-11-29T20:27:00.000000Z", 0.0),
        ("0.000000", -1.0),
        ("", -1.0),
    ],
)
def test_how_long_ago_the_map_changed(modified: str, seconds: float) -> None:
    now = datetime(2026, 11, 29, 20, 26, 30, 500000, tzinfo=UTC)
    status = {**STATUS, "monmap": {**STATUS["monmap"], "modified": modified}}
    assert monmap.parse_status(status).age(now) == seconds


@pytest.mark.parametrize("state", ["probing", "electing", "peon", "synchronizing"])
def test_only_the_leader_leads(state: str) -> None:
    assert not monmap.parse_status({**STATUS, "state": state}).leads


def test_a_leader_without_quorum_does_not_lead() -> None:
    assert not monmap.parse_status({**STATUS, "quorum": []}).leads


def test_an_empty_status_is_unknown() -> None:
    assert monmap.parse_status({}) == monmap.MonView()


def test_old_releases_give_one_address() -> None:
    mon = {"rank": 0, "name": "a", "addr": "10.1.2.3:6789/0"}
    (member,) = monmap.parse_status({"monmap": {"mons": [mon]}}).members
    assert (member.addrs, member.address) == (("10.1.2.3:6789/0",), "10.1.2.3")


def test_a_map_out_of_a_store() -> None:
    view = monmap.parse_printed(PRINTED)
    assert (view.fsid, view.epoch, view.state) == (FSID, 0, "")
    assert [(m.name, m.address) for m in view.members] == [
        ("a", "10.1.2.3"),
        ("host-b.example", "10.1.2.4"),
        ("c", "fd00::5"),
    ]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("v2:10.1.2.3:3300/0", "10.1.2.3"),
        ("v1:[fd00::1]:6789/0", "fd00::1"),
        ("any:10.0.0.1:0/0", "10.0.0.1"),
        ("10.0.0.1:6789", "10.0.0.1"),
        ("odd", "odd"),
    ],
)
def test_bare_addresses(address: str, expected: str) -> None:
    assert monmap.bare(address) == expected


@pytest.mark.parametrize(
    "answer", ["starting up", {"monmap": ["x"]}, {"monmap": {"epoch": "x"}}, {"quorum": 5}]
)
def test_an_odd_answer_is_an_error(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    monkeypatch.setattr(admin_socket, "ask", lambda *_args: answer)
    with pytest.raises(CephError, match=r"mon\.a: odd mon_status"):
        monmap.running("a")


def test_a_failing_tool_is_told_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "output", lambda *_args: (1, "", "store is locked\n"))
    with pytest.raises(CephError, match=r"mon\.a: ceph-mon failed \(1\): store is locked"):
        monmap._tool(["ceph-mon"], "a")


def test_a_hanging_tool_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def output(*_args: object) -> tuple[int, str, str]:
        raise TimeoutError("no answer within 5 s")

    monkeypatch.setattr(child, "output", output)
    with pytest.raises(CephError, match="no answer within 5 s"):
        monmap._tool(["ceph-mon"], "a")


def test_the_store_is_opened_as_ceph_s_own_user(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(monmap, "_tool", lambda command, _mon: ran.append(command) or "")
    monkeypatch.setattr(monmap.pwd, "getpwnam", lambda _name: type("P", (), {"pw_uid": 0}))
    monkeypatch.setattr(monmap.grp, "getgrnam", lambda _name: type("G", (), {"gr_gid": 0}))
    monkeypatch.setattr(monmap.shutil, "chown", lambda *_args: None)
    assert monmap.stopped("a") == monmap.MonView()
    extract, show = ran
    assert extract[:7] == ["ceph-mon", "--id", "a", "--setuser", "ceph", "--setgroup", "ceph"]
    assert show[0] == "monmaptool"
