"""Which of the machine's archives the lab's hosts are made from."""

import pytest

from lab import mirror
from lab.proc import LabError

LISTED = """\
|somebody|http://packages.example.org/apt/
Debian|Debian-Security|http://mirror.example.org/debian-security/
Debian|Debian|http://mirror.example.org/debian/
Debian|Debian|http://second.example.org/debian/
"""


def test_the_first_archive_of_debian_itself_is_taken() -> None:
    assert mirror.parse(LISTED) == "http://mirror.example.org/debian"


@pytest.mark.parametrize("listed", ["", "|somebody|http://packages.example.org/apt/\n"])
def test_without_one_the_remedy_is_named(listed: str) -> None:
    with pytest.raises(LabError, match="LAB_MIRROR"):
        mirror.parse(listed)


def test_a_given_mirror_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_MIRROR", "http://near.example.org/debian")
    assert mirror.mirror() == "http://near.example.org/debian"
