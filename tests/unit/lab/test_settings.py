"""Names and places of a lab."""

import pytest

from lab import settings
from lab.proc import LabError
from lab.settings import Lab, Options


def test_labs_of_two_folders_share_no_name(tmp_path):
    one, other = Lab.at(tmp_path / ".lab"), Lab.at(tmp_path / ".lab-test")

    assert one.id != other.id
    assert one.container("ceph-1") == f"{one.id}-ceph-1"
    assert settings.mac_address(one.id, "ceph-1") != settings.mac_address(other.id, "ceph-1")


def test_an_id_depends_on_the_absolute_path_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert Lab.at(".lab").id == Lab.at(tmp_path / ".lab").id


def test_mac_addresses_are_fixed_local_and_unicast():
    address = settings.mac_address("lab0", "ceph-1")

    assert address == settings.mac_address("lab0", "ceph-1")
    assert int(address.split(":")[0], 16) & 0b11 == 0b10
    assert len(address.split(":")) == 6


def test_options_are_remembered(tmp_path):
    lab = Lab.at(tmp_path / ".lab")
    assert lab.options() is None

    lab.remember(Options(ceph=16, disks=1, disk_size="4G"))

    assert lab.options() == Options(ceph=16, disks=1, disk_size="4G")


@pytest.mark.parametrize("text", ["", "{", '{"colour": "red"}', "[1]"])
def test_damaged_options_are_named_with_the_remedy(tmp_path, text):
    lab = Lab.at(tmp_path)
    (tmp_path / "lab.json").write_text(text)

    with pytest.raises(LabError, match=r"damaged.*`lab down` first"):
        lab.options()


def test_hosts_are_ordered_by_number(tmp_path):
    for name in ("ceph-10", "ceph-2", "ceph-1"):
        (tmp_path / "hosts" / name).mkdir(parents=True)

    assert Lab.at(tmp_path).hosts() == ["ceph-1", "ceph-2", "ceph-10"]


def test_forget_removes_only_what_the_lab_wrote(tmp_path):
    lab = Lab.at(tmp_path)
    lab.remember(Options())
    lab.disks.mkdir()
    (lab.disks / "ceph-1-a.img").touch()
    (tmp_path / "notes.txt").write_text("mine")

    lab.forget()

    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_forget_removes_the_folder_that_holds_nothing_else(tmp_path):
    lab = Lab.at(tmp_path / ".lab")
    lab.remember(Options())

    lab.forget()
    lab.forget()

    assert not lab.dir.exists()
