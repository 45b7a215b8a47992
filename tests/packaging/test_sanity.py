"""`ansible-test sanity` on the collection as users get it.

Its tests bring requirements of their own, so this is the one place that needs their index of
packages; pip itself comes from this Python, as nothing can be had from Ansible's own server.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from orchestrator.ansible.content import COLLECTION
from tests.packaging.conftest import BIN, call

pytestmark = [pytest.mark.packaging, pytest.mark.long, pytest.mark.timeout(1500)]

PIP = """\
import subprocess
import sys

subprocess.run([sys.executable, "-m", "ensurepip"], check=True)
wanted = [word for word in sys.argv[1:] if not word.startswith("--no-")]
subprocess.run([sys.executable, "-m", "pip", "install", *wanted], check=True)
"""
# These need PowerShell and shellcheck; there is no script of either in the collection.
WITHOUT_SUBJECT = ("pslint", "shellcheck")


@pytest.fixture
def tree(collections: Path, tmp_path: Path) -> Path:
    """A copy of the installed collection, which the tests may write to."""
    found = tmp_path / "tree"
    shutil.copytree(collections, found)
    return found.joinpath("ansible_collections", *COLLECTION)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where ansible-test finds the script that it would fetch to get its version of pip."""
    (package,) = (BIN.parent / "lib").glob("python3*/site-packages/ansible_test")
    source = (package / "_internal" / "python_requirements.py").read_text()
    (version,) = re.findall(r"\bpip='([\d.]+)'", source)
    cache = tmp_path / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True)
    (cache / f"get_pip_{version.replace('.', '_')}.py").write_text(PIP)
    return tmp_path


def test_it_finds_nothing(tree: Path, home: Path) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    words = ("sanity", "--python", version, "--color", "no")
    skipped = (word for name in WITHOUT_SUBJECT for word in ("--skip-test", name))
    env = {"HOME": str(home), "LC_ALL": "C.UTF-8", "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = call(BIN / "ansible-test", *words, *skipped, cwd=tree, env=env, timeout=1400)
    for name in ("validate-modules", "import", "pylint", "ansible-doc", "pep8"):
        assert f'Running sanity test "{name}"' in done.stdout + done.stderr
