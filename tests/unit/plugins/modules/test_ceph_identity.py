from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    keyring,
    managed_file,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_identity

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
ADMIN = "AQAASYNTHETICADMINKEYAAAAAAAAAAAAAAAAAA=="
MON = "AQAASYNTHETICMONKEYAAAAAAAAAAAAAAAAAAAA=="
GIVEN = {"fsid": OURS, "mon_key": MON, "admin_key": ADMIN}


@pytest.fixture(autouse=True)
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cluster, "CONF", str(tmp_path / "ceph.conf"))
    monkeypatch.setattr(cluster, "ADMIN_KEYRING", str(tmp_path / "admin"))
    monkeypatch.setattr(cluster, "MON_KEYRING", str(tmp_path / "mon"))
    status = tmp_path.stat()
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (status.st_uid, status.st_gid))
    return tmp_path


def test_it_is_written_whole_and_for_its_owner_alone(run, host: Path) -> None:
    result = run(ceph_identity, **GIVEN)
    assert result["written"] == [str(host / name) for name in ("ceph.conf", "admin", "mon")]
    assert keyring.key_of((host / "admin").read_text(), "client.admin") == ADMIN
    mon = (host / "mon").read_text()
    assert (keyring.key_of(mon, "mon."), keyring.key_of(mon, "client.admin")) == (MON, ADMIN)
    assert {(host / name).stat().st_mode & 0o777 for name in ("admin", "mon")} == {0o600}


def test_a_second_time_nothing_changes(run) -> None:
    run(ceph_identity, **GIVEN)
    assert run(ceph_identity, **GIVEN)["changed"] is False


def test_no_key_is_shown(run) -> None:
    result = run(ceph_identity, check=True, **GIVEN)
    assert result["changed"]
    assert ADMIN not in str(result)
    assert MON not in str(result)


def test_check_mode_writes_nothing(run, host: Path) -> None:
    run(ceph_identity, check=True, **GIVEN)
    assert list(host.iterdir()) == []


def test_foreign_lines_of_ceph_conf_stay(run, host: Path) -> None:
    (host / "ceph.conf").write_text("# mine\n[global]\nms_bind_ipv6 = true\n")
    run(ceph_identity, **GIVEN)
    text = (host / "ceph.conf").read_text()
    assert text == f"# mine\n[global]\nms_bind_ipv6 = true\nfsid = {OURS}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ceph.conf", "[global]\nfsid = 9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff\n"),
        ("admin", keyring.render("client.admin", MON)),
        ("mon", keyring.render("mon.", ADMIN)),
    ],
)
def test_another_cluster_s_value_is_never_replaced(run, host: Path, name: str, text: str) -> None:
    (host / name).write_text(text)
    result = run(ceph_identity, **GIVEN)
    assert "refused" in result["msg"]
    assert MON not in result["msg"]
    assert [path.name for path in host.iterdir()] == [name]
    assert (host / name).read_text() == text
