"""What is mounted where."""

from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import mounts

TEXT = """\
overlay / overlay rw 0 0
/dev/sdb1 /var/lib/ceph/osd/ceph-3 xfs rw 0 0
tmpfs /var/lib/ceph/osd/ceph-3 tmpfs rw 0 0
tmpfs /var/lib/ceph/osd/ceph-4\\040x tmpfs rw 0 0
/dev/sdc1 /var/lib/ceph/mon xfs rw 0 0
"""


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mounts"
    path.write_text(TEXT)
    monkeypatch.setattr(mounts, "MOUNTS", path)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/var/lib/ceph/osd/ceph-3", True),
        ("/var/lib/ceph/osd/ceph-4 x", True),
        ("/var/lib/ceph/mon", False),
        ("/var/lib/ceph/osd", False),
    ],
)
def test_the_last_mount_is_what_a_folder_shows(folder: str, expected: bool) -> None:  # noqa: FBT001
    assert mounts.is_tmpfs(folder) is expected


def test_mounts_are_found_on_a_folder_and_in_it_and_not_beside_it() -> None:
    assert mounts.below("/var/lib/ceph/mon/") == ["/var/lib/ceph/mon"]
    assert mounts.below("/var/lib/ceph/osd/ceph-4") == []
    assert len(mounts.below("/var/lib/ceph")) == 4
