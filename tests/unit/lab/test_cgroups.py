"""Groups left by hosts are removed, and nobody else's."""

from lab import cgroups


def test_nested_groups_of_one_lab_are_removed(tmp_path):
    (tmp_path / "unified" / "lab1-ceph-1" / "system.slice" / "ssh.service").mkdir(parents=True)
    (tmp_path / "lab1-ceph-2" / "init.scope").mkdir(parents=True)
    (tmp_path / "unified" / "lab2-ceph-1").mkdir(parents=True)

    cgroups.remove("lab1", tmp_path)

    assert [path.name for path in (tmp_path / "unified").iterdir()] == ["lab2-ceph-1"]
    assert not (tmp_path / "lab1-ceph-2").exists()
