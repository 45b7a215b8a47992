"""Daemons go in an order that can be cut anywhere, and only those that are ours."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    daemon,
    mon_store,
    removal,
)

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
Unit = removal.systemd.Unit


def described(kind: str = "mon", **values: Any) -> daemon.Daemon:
    plain = {"type": kind, "id": "a", "record": "", "program": "", "data_dir": f"/x/{kind}/ceph-a"}
    plain |= {"owner": "ceph", "init": [], "before_start": [], "environment": {}, "settings": {}}
    return daemon.parse({**plain, "data": "keep", **values})


def unit(active: str = "active", *, enabled: bool = True) -> Unit:
    return Unit(name="", loaded=True, active=active, enabled=enabled)


def state(one: daemon.Daemon, found: Unit | None = None, **values: Any) -> removal.State:
    everything = frozenset([one.drop_in().path, one.data_dir, one.record_path])
    plain = {"units": {one.unit: found or unit()}, "paths": everything}
    return removal.State(**{**plain, **values})


def test_a_running_daemon_is_stopped_and_disabled_and_its_record_goes_last() -> None:
    one = described()
    assert removal.difference(state(one), [one]).actions() == [
        "stop ceph-mon@a.service",
        "disable ceph-mon@a.service",
        "remove /etc/systemd/system/ceph-mon@a.service.d/orchestrator.conf",
        "remove /var/lib/ceph-orchestrator/mon.a.json",
    ]


@pytest.mark.parametrize(
    ("active", "enabled", "expected"),
    [
        ("activating", False, (["ceph-mon@a.service"], [], [])),
        ("failed", False, ([], ["ceph-mon@a.service"], [])),
        ("inactive", True, ([], [], ["ceph-mon@a.service"])),
        ("inactive", False, ([], [], [])),
    ],
)
def test_a_unit_is_told_only_what_is_needed(
    active: str,
    enabled: bool,  # noqa: FBT001
    expected: tuple[list[str], list[str], list[str]],
) -> None:
    one = described()
    found = unit(active, enabled=enabled)
    changes = removal.difference(state(one, found), [one])
    assert (changes.stop, changes.reset, changes.disable) == expected


def test_nothing_is_left_to_do_for_a_daemon_that_is_gone() -> None:
    one = described(data="delete")
    gone = state(one, unit("inactive", enabled=False), paths=frozenset())
    assert removal.difference(gone, [one]).actions() == []


@pytest.mark.parametrize(
    ("data", "temporary", "expected"),
    [
        ("keep", False, []),
        ("aside", False, ["put aside /x/osd/ceph-a"]),
        ("delete", False, ["delete /x/osd/ceph-a"]),
        ("keep", True, ["unmount /x/osd/ceph-a"]),
        ("delete", True, ["unmount /x/osd/ceph-a"]),
    ],
)
def test_data_goes_only_as_it_was_told(data: str, temporary: bool, expected: list[str]) -> None:  # noqa: FBT001
    one = described("osd", data=data)
    memory = frozenset([one.data_dir] if temporary else [])
    changes = removal.difference(
        state(
            one, unit("inactive", enabled=False), paths=frozenset([one.data_dir]), temporary=memory
        ),
        [one],
    )
    assert changes.actions() == expected


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host whose folders are below a temporary one and whose systemd says yes."""
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr(daemon, "RECORDS", str(tmp_path / "records"))
    monkeypatch.setattr(daemon, "_UNITS", str(tmp_path / "units"))
    monkeypatch.setattr(cluster, "CONF", str(tmp_path / "ceph.conf"))
    states = {"ceph-mon@a.service": unit("active")}

    def tell(verb: str, units: Any = (), *_options: str, seconds: float = 0) -> None:
        del seconds
        told.append((verb, *units))
        if verb == "stop" and units:
            states.update(dict.fromkeys(units, unit("inactive")))

    monkeypatch.setattr(
        removal.systemd, "show", lambda names: {name: states[name] for name in names}
    )
    monkeypatch.setattr(removal.systemd, "tell", tell)
    return tmp_path


def placed(room: Path, **values: Any) -> daemon.Daemon:
    one = described(data_dir=str(room / "mon" / "ceph-a"), settings={"public_addr": ""}, **values)
    for path in (one.drop_in().path, one.record_path, f"{one.data_dir}/store.db/x"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("x")
    (room / "ceph.conf").write_text("[global]\nfsid = x\n[mon.a]\npublic_addr = y\n")
    return one


def take_away(one: daemon.Daemon, fsid: str = "") -> None:
    removal.apply(removal.difference(removal.observe([one]), [one]), 1, fsid)


def test_a_mon_leaves_its_store_and_nothing_else(room: Path) -> None:
    one = placed(room)
    take_away(one)
    left = sorted(str(path.relative_to(room)) for path in room.rglob("*") if path.is_file())
    assert left == ["ceph.conf", "mon/ceph-a/store.db/x"]
    assert not Path(one.drop_in().path).parent.exists()
    assert (room / "ceph.conf").read_text() == "[global]\nfsid = x\n"


def test_data_put_aside_is_all_there_and_an_older_one_is_not_overwritten(room: Path) -> None:
    for number in (1, 2):
        take_away(placed(room, data="aside"), OURS)
        aside = room / "mon" / f"removed-ceph-a-{OURS}-{number}"
        assert (aside / "store.db" / "x").read_text() == "x"
    assert not (room / "mon" / "ceph-a").exists()


def test_deleted_data_is_gone_and_so_is_what_a_link_leads_to(room: Path) -> None:
    take_away(placed(room, data="delete"))
    assert not (room / "mon" / "ceph-a").exists()
    (room / "big").mkdir()
    (room / "mon" / "ceph-a").symlink_to(room / "big")
    take_away(placed(room, data="delete"))
    assert not (room / "big").exists()
    assert not (room / "mon" / "ceph-a").is_symlink()


def test_data_below_which_something_is_mounted_is_left_alone(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = placed(room, data="delete")
    monkeypatch.setattr(removal.mounts, "below", lambda folder: [f"{folder}/store.db"])
    with pytest.raises(removal.HostError, match=r"store.db is mounted there"):
        take_away(one)
    assert Path(one.data_dir, "store.db", "x").exists()
    assert Path(one.record_path).exists()


def test_a_daemon_that_does_not_stop_keeps_everything(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = placed(room, data="delete")
    monkeypatch.setattr(removal.systemd, "show", lambda names: dict.fromkeys(names, unit("active")))
    with pytest.raises(removal.HostError, match=r"ceph-mon@a.service: still there"):
        take_away(one)
    assert Path(one.record_path).exists()
    assert Path(one.data_dir).exists()


def stores(monkeypatch: pytest.MonkeyPatch, **values: Any) -> None:
    store = mon_store.MonStore("a", "/x/mon/ceph-a", **values)
    monkeypatch.setattr(mon_store, "observe", lambda: [store])


def test_a_mon_of_another_cluster_is_refused_with_both_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stores(monkeypatch, fsid=OTHER)
    with pytest.raises(
        removal.HostError, match=f"mon.a belongs to the cluster {OTHER}, not to {OURS}"
    ):
        removal.check([described()], OURS)


def test_unreadable_data_is_kept_but_its_mon_may_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stores(monkeypatch, problem="no answer")
    removal.check([described()], OURS)
    for data in ("aside", "delete"):
        with pytest.raises(removal.HostError, match=r"its fsid cannot be read \(no answer\)"):
            removal.check([described(data=data)], OURS)


def test_an_osd_of_another_cluster_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ceph_fsid").write_text(f"{OTHER}\n")
    one = dataclasses.replace(described("osd"), data_dir=str(tmp_path))
    with pytest.raises(removal.HostError, match=r"osd\.a belongs to the cluster"):
        removal.check([one], OURS)
    removal.check([one], OTHER)
    removal.check([one], "")
