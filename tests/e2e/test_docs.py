"""The page about a first cluster, word for word, in a checkout of its own."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handbook.shown import blocks
from tests import shown
from tests.e2e.site import ROOT, call, checked

LEFT_OUT = frozenset({".git", ".lab", ".bench", ".cache"})


@pytest.fixture
def checkout() -> Iterator[Path]:
    """A folder with all that the repository has; its lab and what is written are its own.

    Its path is short, as those of sockets have to be.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in ROOT.iterdir():
            if path.name not in LEFT_OUT and not path.name.startswith(".lab"):
                (folder / path.name).symlink_to(path)
        yield folder
        checked(call(["make", "demo-down"], cwd=folder, env=environment(folder)))


def environment(folder: Path) -> dict[str, str]:
    return {"PATH": shown.path(), "HOME": "/root", "XDG_STATE_HOME": str(folder / "state")}


@pytest.mark.timeout(1200)
def test_a_first_cluster_is_made_broken_changed_and_removed_as_the_page_says(
    checkout: Path,
) -> None:
    page = ROOT / "docs" / "first-cluster.md"
    found = [block for block in blocks(page) if block.run == "lab"]
    assert len(found) >= 5
    shown.run(found, checkout, XDG_STATE_HOME=str(checkout / "state"))
    assert (checkout / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert not (checkout / ".lab").exists()
