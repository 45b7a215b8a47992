"""The Molecule scenarios, and one of somebody else, made as the documentation says."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import BIN, ROOT

SHARED = ROOT / "molecule" / "shared"
STEPS = ("destroy", "syntax", "create", "converge", "idempotence", "side_effect", "verify")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")

pytestmark = pytest.mark.timeout(1500)


def molecule(*words: str, cwd: Path = ROOT, fails: bool = False) -> str:
    """What Molecule says."""
    done = subprocess.run(
        [str(BIN / "molecule"), *words],
        cwd=cwd,
        env={
            **os.environ,
            "CEPH_MOLECULE_SHARED": str(SHARED),
            "PATH": f"{BIN}:{os.environ['PATH']}",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=1700,
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stdout
    return COLOURS.sub("", done.stdout)


def lab(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "lab", "--dir", folder, *words], cwd=ROOT, check=True)


def seen_through(scenario: str, text: str) -> None:
    """Every step was taken, and nothing is left of the hosts."""
    for step in STEPS:
        assert f"{scenario} ➜ {step}: Executed: Successful" in text, text


def test_the_whole_cluster() -> None:
    seen_through("default", molecule("test", "--scenario-name", "default"))
    assert not (ROOT / ".lab-molecule-default").exists()


def test_osds_on_a_host_that_an_aborted_run_has_left_in_another_shape() -> None:
    folder = ROOT / ".lab-molecule-osd"
    lab(folder, "up", "--hosts", "2", "--disks", "1")
    lab(folder, "kill", "ceph-1")
    seen_through("osd", molecule("test", "--scenario-name", "osd"))
    assert not folder.exists()


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    """A folder far from this repository, with a short path, as those of sockets have to be."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        yield path
        lab(path / ".lab-molecule-mine", "down")


BASE = ("--base-config", str(SHARED / "base.yml"))


@pytest.mark.long
def test_a_scenario_of_somebody_else_reuses_the_shared_parts(project: Path) -> None:
    page = (ROOT / "docs" / "molecule.md").read_text()
    files = re.findall(r"`(molecule/mine/\w+\.yml)`:\n\n```yaml\n(.*?)```", page, re.DOTALL)
    assert [name for name, _ in files] == [
        "molecule/mine/molecule.yml",
        "molecule/mine/converge.yml",
    ]
    for name, text in files:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    assert "molecule --base-config $CEPH_MOLECULE_SHARED/base.yml test -s mine" in page
    seen_through("mine", molecule(*BASE, "test", "-s", "mine", "--destroy", "never", cwd=project))


@pytest.mark.long
def test_verify_fails_where_a_daemon_is_missing(project: Path) -> None:
    """It needs the hosts that the test before has left."""
    lab(project / ".lab-molecule-mine", "ssh", "ceph-1", "systemctl", "stop", "ceph-osd@0")
    with (project / "molecule/mine/molecule.yml").open("a") as file:
        file.write("      all: {verify_retries: 0}\n")
    text = molecule(*BASE, "verify", "-s", "mine", cwd=project, fails=True)
    assert "failed=1" in text
