"""The collection's artifact without the Python package: what is in it, and which Ansible runs it.

The oldest ansible-core runs here; the newest needs a newer Python than the oldest can have, so it
runs on a lab host (test_newest.py).
"""

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.conftest import BIN, BOOKS, ROOT, Environment, call, environment

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(400)]

OLDEST = "2.16.*"
TOO_OLD = "2.15.*"
CARRIED = {
    *("plugins", "roles", "playbooks", "meta", "docs", "examples", "inventory", "molecule", "tests")
}


def members(artifact: Path) -> list[str]:
    with tarfile.open(artifact) as found:
        return [one.name for one in found.getmembers() if one.isfile()]


def documents(collections: Path, kind: str) -> dict[str, Any]:
    """Everything of one kind, as ansible-doc shows it."""
    env = {"ANSIBLE_COLLECTIONS_PATH": str(collections)}
    doc = (BIN / "ansible-doc", "-t", kind, "-j")
    listing = call(*doc, "-l", "ceph_orchestrator.ceph", cwd=collections, env=env).stdout
    names = sorted(json.loads(listing))
    found: dict[str, Any] = json.loads(call(*doc, *names, cwd=collections, env=env).stdout)
    assert set(found) == set(names)
    return found


def test_it_carries_the_content_and_nothing_made_by_tools(artifact: Path) -> None:
    found = members(artifact)
    folders = {name.partition("/")[0] for name in found if "/" in name}
    assert {"plugins", "roles", "playbooks", "meta"} <= folders <= CARRIED
    assert {name.rpartition("/")[0] for name in found if name.startswith("tests/")} == {
        "tests/sanity"
    }
    assert not [name for name in found if re.search(r"(^|/)\.|__pycache__|\.pyc$|\.toml$", name)]


def test_nothing_in_it_needs_the_python_package() -> None:
    sources = list((ROOT / "plugins").rglob("*.py"))
    sources += (ROOT / "roles").rglob("*.py")
    assert len(sources) > 40
    imported = re.compile(r"^\s*(from|import) orchestrator\b", re.MULTILINE)
    assert not [path for path in sources if imported.search(path.read_text())]


@pytest.mark.parametrize("kind", ["module", "filter"])
def test_ansible_doc_shows_everything(collections: Path, kind: str) -> None:
    found = documents(collections, kind)
    assert len(found) >= 9
    for name, entry in found.items():
        assert entry["doc"]["short_description"], name
        assert entry["examples"], name
        assert entry["return"], name
        options = entry["doc"].get("options") or {}
        assert all(option["description"] for option in options.values()), name
        assert all("sample" in value or "contains" in value for value in entry["return"].values())


def test_ansible_doc_shows_every_role(collections: Path) -> None:
    found = documents(collections, "role")
    assert {name.rpartition(".")[2] for name in found} == {
        role.name for role in (ROOT / "roles").iterdir()
    }
    for name, role in found.items():
        for entry in role["entry_points"].values():
            assert entry["short_description"], name


def with_core(version: str, directory: Path) -> Environment:
    """ansible-core of this version alone, with what the collection asks for besides."""
    found = environment(directory)
    found.install(f"ansible-core=={version}")
    return found


def test_the_oldest_ansible_runs_it(
    collections: Path, here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    core = with_core(OLDEST, tmp_path_factory.mktemp("oldest"))
    env = {"ANSIBLE_COLLECTIONS_PATH": str(collections), "ANSIBLE_NOCOLOR": "1"}
    books = (f"ceph_orchestrator.ceph.{book}" for book in BOOKS)
    core.run("ansible-playbook", "--syntax-check", "-i", here, *books, **env)
    done = core.run("ansible-playbook", "-i", here, "ceph_orchestrator.ceph.facts", **env)
    assert re.search(r"127\.0\.0\.1 .*ok=[1-9]\d* .*changed=0 .*failed=0", done.stdout)
    assert core.run("ansible-playbook", "--version").stdout.startswith(
        "ansible-playbook [core 2.16"
    )


@pytest.fixture(scope="module")
def too_old(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return with_core(TOO_OLD, tmp_path_factory.mktemp("too-old"))


@pytest.mark.parametrize("book", BOOKS)
def test_an_older_ansible_is_refused_before_the_first_task(
    collections: Path, here: Path, too_old: Environment, book: str
) -> None:
    env = {"ANSIBLE_COLLECTIONS_PATH": str(collections), "ANSIBLE_NOCOLOR": "1"}
    words = ("-i", here, f"ceph_orchestrator.ceph.{book}")
    done = too_old.run("ansible-playbook", *words, code=None, **env)
    assert done.returncode != 0
    assert "needs ansible-core 2.16 or later; this is 2.15" in done.stdout
    assert re.findall(r"TASK \[(.*)\]", done.stdout) == ["Check the version of Ansible"]


def test_an_older_ansible_can_be_told_to_refuse_by_itself(
    collections: Path, here: Path, too_old: Environment
) -> None:
    env = {"ANSIBLE_COLLECTIONS_PATH": str(collections), "ANSIBLE_NOCOLOR": "1"}
    strict = {**env, "ANSIBLE_COLLECTIONS_ON_ANSIBLE_VERSION_MISMATCH": "error"}
    done = too_old.run(
        "ansible-playbook", "-i", here, "ceph_orchestrator.ceph.facts", code=None, **strict
    )
    assert done.returncode != 0
    assert "TASK" not in done.stdout
