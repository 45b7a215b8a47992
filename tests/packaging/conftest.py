"""The package and the collection as a user gets them: built, and installed where nothing is."""

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.ansible.content import COLLECTION

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# Parts of others, which do nothing without what only a planner gives.
PARTS = {"services", "unlock", "version"}
BOOKS = sorted({path.stem for path in (ROOT / "playbooks").glob("*.yml")} - PARTS)
HIDDEN = ("PYTHONPATH", "VIRTUAL_ENV", "ANSIBLE_CONFIG", "ANSIBLE_COLLECTIONS_PATH")


def call(
    *words: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    code: int | None = 0,
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """Run a command with nothing of this clone in its environment."""
    outside = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**outside, **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


@dataclass(frozen=True)
class Environment:
    """A virtual environment of its own; `home` is an empty directory to work in."""

    directory: Path
    home: Path

    def install(self, *words: str | Path) -> None:
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        call(self.directory / "bin" / "python", *pip, *words, cwd=self.home)

    def run(
        self, name: str, *words: str | Path, code: int | None = 0, **env: str
    ) -> subprocess.CompletedProcess[str]:
        where = {"HOME": str(self.home), "XDG_STATE_HOME": str(self.home / "state"), **env}
        where["PATH"] = f"{self.directory / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return call(self.directory / "bin" / name, *words, cwd=self.home, env=where, code=code)


def environment(directory: Path) -> Environment:
    venv.create(directory / "venv", with_pip=True)
    (directory / "home").mkdir()
    return Environment(directory / "venv", directory / "home")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made from the source distribution, as `python -m build` does."""
    out = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=ROOT)
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection's artifact."""
    out = tmp_path_factory.mktemp("artifact")
    call(BIN / "ansible-galaxy", "collection", "build", "--output-path", out, cwd=ROOT)
    (found,) = out.glob("*.tar.gz")
    return found


@pytest.fixture(scope="session")
def collections(artifact: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collections path with the installed artifact and nothing else."""
    path = tmp_path_factory.mktemp("collections")
    install = ("collection", "install", "--offline", "-p", path, artifact)
    call(BIN / "ansible-galaxy", *install, cwd=path)
    assert (path.joinpath("ansible_collections", *COLLECTION) / "MANIFEST.json").is_file()
    return path


HERE = """\
all:
  hosts:
    127.0.0.1:
      ansible_connection: local
      ansible_python_interpreter: /usr/bin/python3
  children: {mons: {hosts: {127.0.0.1: {}}}, mgrs: {}, osds: {}}
"""


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An inventory of this machine alone."""
    path = tmp_path_factory.mktemp("inventory") / "hosts.yml"
    path.write_text(HERE)
    return path
