"""What is ours in ceph.conf goes; what others wrote stays."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import our_files

OURS = """\
[global]
fsid = x
mon host = y
public_network = z

[mon.a]
public_addr = 1

[osd]
crush_location = root=default
"""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (OURS, ""),
        ("", ""),
        (f"{OURS}debug_osd = 5\n", "[osd]\ndebug_osd = 5\n"),
        (f"# by hand\n{OURS}", "# by hand\n"),
        ("[client]\nfsid = no option of theirs is ours\n", None),
    ],
)
def test_only_our_own_lines_go(text: str, left: str | None) -> None:
    assert our_files.conf_without(text) == (text if left is None else left)
