"""Disks: their files, their loop devices as losetup lists them, and what a host sees of them."""

from lab import disks
from lab.settings import Lab

LISTED = """{"loopdevices": [
  {"name": "/dev/loop0", "back-file": "/x/.lab/disks/ceph-1-a.img"},
  {"name": "/dev/loop12", "back-file": "/x/.lab/disks/ceph-1-b.img (deleted)"},
  {"name": "/dev/loop3", "back-file": null}
]}"""


def test_losetup_list_is_parsed():
    first, deleted, empty = disks.parse(LISTED)

    assert first == disks.Loop(name="loop0", file="/x/.lab/disks/ceph-1-a.img", deleted=False)
    assert deleted == disks.Loop(name="loop12", file="/x/.lab/disks/ceph-1-b.img", deleted=True)
    assert empty.file == ""


def test_no_loop_device_at_all_is_an_empty_answer():
    assert disks.parse("") == []


def test_only_this_labs_devices_are_found(monkeypatch):
    monkeypatch.setattr(disks.proc, "run", lambda _command: LISTED)

    assert [loop.name for loop in disks.attached(Lab.at("/x/.lab"))] == ["loop0", "loop12"]
    assert disks.attached(Lab.at("/x/.la")) == []


def test_a_device_of_a_removed_file_is_not_used_again(monkeypatch, tmp_path):
    lab = Lab.at(tmp_path)
    disks.ensure(lab, "ceph-1", 2, "1M")
    listed = LISTED.replace("/x/.lab", str(tmp_path))
    answers = {"--list": listed, "--find": "/dev/loop7\n"}
    monkeypatch.setattr(disks.proc, "run", lambda command: answers[command[1]])

    assert disks.attach(lab, "ceph-1") == {"a": "loop0", "b": "loop7"}


def test_files_are_sparse_and_keep_their_content(tmp_path):
    lab = Lab.at(tmp_path)
    disks.ensure(lab, "ceph-1", 1, "64M")
    with disks.image(lab, "ceph-1", "a").open("r+b") as disk:
        disk.write(b"data")

    disks.ensure(lab, "ceph-1", 2, "64M")

    assert disks.image(lab, "ceph-1", "a").read_bytes()[:4] == b"data"
    stat = disks.image(lab, "ceph-1", "b").stat()
    assert (stat.st_size, stat.st_blocks) == (64 * 2**20, 0)


def test_an_added_disk_gets_the_next_letter_of_its_host(tmp_path):
    lab = Lab.at(tmp_path)
    disks.ensure(lab, "ceph-1", 2, "1M")
    disks.ensure(lab, "ceph-11", 3, "1M")

    assert disks.add(lab, "ceph-1", "1M") == "c"
    assert disks.letters(lab, "ceph-1") == "abc"


def test_folders_for_sysfs_hold_just_the_hosts_disks(tmp_path):
    disks.show(tmp_path, {"a": "loop0", "b": "loop1"})
    disks.show(tmp_path, {"a": "loop5", "b": "loop1"})

    assert {path.name: str(path.readlink()) for path in (tmp_path / "block").iterdir()} == {
        "loop5": "../devices/virtual/block/loop5",
        "loop1": "../devices/virtual/block/loop1",
    }
    assert (
        str((tmp_path / "class-block" / "loop5").readlink()) == "../../devices/virtual/block/loop5"
    )


def test_udev_rules_give_lasting_names():
    assert disks.rules({"a": "loop5"}) == (
        'SUBSYSTEM=="block", KERNEL=="loop5", SYMLINK+="disk/by-id/lab-disk-a"\n'
    )
