"""An OSD is found by its uuid, wherever the kernel put its device (CASES C07)."""

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
FOUR = "44444444-0000-4000-8000-000000000004"
FIVE = "55555555-0000-4000-8000-000000000005"
SCRIPT = Path(__file__).parents[3] / "roles" / "osd" / "files" / "ceph_osd_activate.py"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ceph_osd_activate", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def disk(folder: Path, name: str, uuid: str, fsid: str = FSID) -> str:
    meta = b"\x09\x00\x00\x00ceph_fsid\x24\x00\x00\x00" + fsid.encode()
    path = folder / name
    path.write_bytes(b"bluestore block device\n" + uuid.encode() + b"\n" + meta + bytes(4096))
    return str(path)


@pytest.fixture
def machine(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(
        script, "devices", lambda: sorted(str(path) for path in tmp_path.glob("sd*"))
    )
    return tmp_path


def test_the_hint_is_taken_when_it_holds_the_osd(script: ModuleType, machine: Path) -> None:
    path = disk(machine, "sde", FOUR)
    assert script.find(FOUR, FSID, path) == path


def test_after_the_letters_moved_it_is_found_by_its_label(
    script: ModuleType, machine: Path
) -> None:
    hint = disk(machine, "sde", FIVE)
    path = disk(machine, "sdd", FOUR)
    assert script.find(FOUR, FSID, hint) == path


def test_the_same_number_of_another_cluster_is_not_it(script: ModuleType, machine: Path) -> None:
    hint = disk(machine, "sde", FOUR, OTHER)
    with pytest.raises(SystemExit, match=f"{hint} holds the OSD {FOUR} of the cluster {OTHER}"):
        script.find(FOUR, FSID, hint)


def test_two_devices_with_one_osd_are_refused(script: ModuleType, machine: Path) -> None:
    disk(machine, "sdd", FOUR)
    disk(machine, "sde", FOUR)
    with pytest.raises(SystemExit, match="several devices"):
        script.find(FOUR, FSID, "")


def test_a_device_that_is_gone_is_said(script: ModuleType, machine: Path) -> None:
    with pytest.raises(SystemExit, match=f"no device holds the OSD {FOUR}"):
        script.find(FOUR, FSID, str(machine / "gone"))


def test_a_device_under_another_one_is_passed_over(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, holders in (("sda", ["dm-0"]), ("dm-0", []), ("cciss!c0d0", [])):
        (tmp_path / name / "holders").mkdir(parents=True)
        for holder in holders:
            (tmp_path / name / "holders" / holder).touch()
    monkeypatch.setattr(script, "SYS", tmp_path)
    assert list(script.devices()) == ["/dev/cciss/c0d0", "/dev/dm-0"]


@pytest.fixture
def volumes(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A host with a logical volume, and an OSD's tags on it; gives what is run."""
    mark = tmp_path / "sys" / "dm-0" / "dm" / "uuid"
    mark.parent.mkdir(parents=True)
    mark.write_text("LVM-abc\n")
    monkeypatch.setattr(script, "SYS", tmp_path / "sys")
    tags = {"ceph.osd_fsid": FOUR, "ceph.cluster_fsid": FSID}
    listed = json.dumps({"4": [{"tags": tags}], "oops": []}).encode()
    ran: list[str] = []

    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
        ran.append(" ".join(command))
        return subprocess.CompletedProcess(command, 0, stdout=listed)

    monkeypatch.setattr(subprocess, "run", run)
    return ran


def test_an_osd_on_volumes_is_known_by_its_tags(script: ModuleType, volumes: list[str]) -> None:
    assert script.on_volumes(FOUR, FSID)
    assert not script.on_volumes(FOUR, OTHER)
    assert not script.on_volumes(FIVE, FSID)


def test_without_volumes_ceph_volume_is_not_asked(
    script: ModuleType, volumes: list[str], tmp_path: Path
) -> None:
    (tmp_path / "sys" / "dm-0" / "dm" / "uuid").write_text("CRYPT-LUKS2-abc\n")
    assert not script.on_volumes(FOUR, FSID)
    assert volumes == []


def test_an_osd_on_volumes_is_opened_by_ceph_volume(
    script: ModuleType, volumes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["activate", "--id=4", f"--uuid={FOUR}", f"--fsid={FSID}"]
    monkeypatch.setattr(script.sys, "argv", arguments)
    script.main()
    activate = f"ceph-volume lvm activate --bluestore --no-systemd --no-tmpfs 4 {FOUR}"
    assert volumes[-1] == activate
