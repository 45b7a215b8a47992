"""The newest ansible-core, on a lab host: it needs a newer Python than the oldest one takes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lab import images, podman
from tests.packaging.conftest import BIN, BOOKS, call

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]

SUITE = "forky"
LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")


class Newest:
    """ansible-core as `python3 -m ansible` of a lab host without a network."""

    def __init__(self, image: str, core: Path, mounts: tuple[Path, ...]) -> None:
        seen = (word for path in (core, *mounts) for word in ("-v", f"{path}:{path}:ro"))
        self._start = ("run", "--rm", "--network", "none", *LIMITS, *seen, "--entrypoint", "env")
        self._start += (image, f"PYTHONPATH={core}", "LC_ALL=C.UTF-8", "HOME=/root")

    def __call__(self, *words: str | Path, **env: str) -> str:
        settings = (f"{name}={value}" for name, value in env.items())
        done = podman.attempt(*self._start, *settings, *map(str, words))
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def newest(collections: Path, here: Path, tmp_path_factory: pytest.TempPathFactory) -> Newest:
    image = images.ensure(SUITE)
    empty = tmp_path_factory.mktemp("empty")
    bare = Newest(image, empty, ())
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    python = bare("python3", "-c", code).strip()
    core = tmp_path_factory.mktemp("newest")
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", core)
    asked = ("--python-version", python, "--only-binary=:all:", "--upgrade", "ansible-core")
    call(BIN / "python", *pip, *asked, cwd=core)
    return Newest(image, core, (collections, here.parent))


def settings(collections: Path) -> dict[str, str]:
    return {
        "ANSIBLE_COLLECTIONS_PATH": str(collections),
        "ANSIBLE_COLLECTIONS_ON_ANSIBLE_VERSION_MISMATCH": "error",
        "ANSIBLE_NOCOLOR": "1",
    }


def test_the_newest_ansible_runs_it(newest: Newest, collections: Path, here: Path) -> None:
    env = settings(collections)
    told = newest("python3", "-m", "ansible", "playbook", "--version", **env)
    found = re.search(r"core (\d+)\.(\d+)\.", told)
    assert found
    assert (int(found[1]), int(found[2])) >= (2, 20), told
    site = ("python3", "-m", "ansible", "playbook", "-i", here)
    newest(*site, "--syntax-check", *(f"ceph_orchestrator.ceph.{book}" for book in BOOKS), **env)
    out = newest(*site, "ceph_orchestrator.ceph.facts", **env)
    assert re.search(r"127\.0\.0\.1 .*ok=[1-9]\d* .*changed=0 .*failed=0", out), out
    assert "DEPRECATION" not in out


def test_the_newest_ansible_reads_every_document(newest: Newest, collections: Path) -> None:
    env = settings(collections)
    doc = ("python3", "-m", "ansible", "doc", "-j")
    for kind in ("module", "filter"):
        listing = newest(*doc, "-t", kind, "-l", "ceph_orchestrator.ceph", **env)
        names = sorted(json.loads(listing))
        assert names, kind
        found: dict[str, Any] = json.loads(newest(*doc, "-t", kind, *names, **env))
        assert set(found) == set(names)
        assert all(one["doc"] and one["examples"] and one["return"] for one in found.values())
