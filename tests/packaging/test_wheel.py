"""`pip install` of the wheel alone gives a working `orchestrator` with all of its content."""

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from orchestrator import __version__
from tests.packaging.conftest import ROOT, Environment, environment

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(400)]

MANIFEST = """\
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: test, namespace: rook-ceph}
spec:
  dataDirHostPath: /var/lib/rook
  mon: {count: 1}
  storage: {useAllNodes: true, useAllDevices: false}
"""


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel with what it asks for, in an environment that had nothing."""
    found = environment(tmp_path_factory.mktemp("wheel"))
    found.install(wheel)
    (found.home / "cluster.yaml").write_text(MANIFEST)
    return found


def names(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_carries_the_whole_collection_and_nothing_made_by_tools(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "playbooks", "plugins", "roles", "meta"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    carried = {
        name.removeprefix("orchestrator/content/")
        for name in names(wheel)
        if name.startswith("orchestrator/content/")
    }
    assert carried == {*listed, "galaxy.yml", "docs/troubleshooting.md"}
    assert not [name for name in names(wheel) if name.endswith(".pyc") or "cache" in name]


def test_the_wheel_says_that_it_is_typed_and_has_what_the_report_needs(wheel: Path) -> None:
    wanted = {"py.typed", "report/page.html.j2", "report/page.css"}
    assert {f"orchestrator/{name}" for name in wanted} <= names(wheel)


def test_it_knows_its_version(installed: Environment) -> None:
    out = installed.run("orchestrator", "--version").stdout
    assert out == f"orchestrator, version {__version__}\n"


def test_it_looks_at_hosts_with_its_own_playbooks(installed: Environment, here: Path) -> None:
    """This machine is no Ceph host, which only a look at it can tell."""
    words = ("-f", "cluster.yaml", "-i", here, "-o", "json")
    done = installed.run("orchestrator", "plan", *words, code=None)
    assert done.returncode in {3, 10}, done.stderr
    told = json.loads(done.stdout)
    assert told["steps"] or "127.0.0.1" in {one["host"] for one in told["blocked"]}


def test_its_playbooks_roles_and_argument_specs_load(installed: Environment, here: Path) -> None:
    code = (
        "from pathlib import Path; from orchestrator.ansible import content;"
        "print(content.link_collection(Path('collections').resolve()), content.root())"
    )
    path, root = installed.run("python", "-c", code).stdout.split()
    env = {"ANSIBLE_COLLECTIONS_PATH": path}
    books = sorted(str(book) for book in (Path(root) / "playbooks").glob("*.yml"))
    assert len(books) >= 6
    installed.run("ansible-playbook", "--syntax-check", "-i", here, *books, **env)
    listing = installed.run("ansible-doc", "-t", "role", "-l", "-j", **env).stdout
    roles = {name.rpartition(".")[2] for name in json.loads(listing)}
    assert roles == {role.name for role in (ROOT / "roles").iterdir()}


def test_bash_completes_commands_and_options(installed: Environment) -> None:
    script = installed.run("orchestrator", _ORCHESTRATOR_COMPLETE="bash_source").stdout
    (installed.home / "complete.sh").write_text(script)
    typed = (
        "source complete.sh; COMP_WORDS=(orchestrator sta); COMP_CWORD=1;"
        "_orchestrator_completion orchestrator sta orchestrator; echo ${COMPREPLY[@]};"
        "COMPREPLY=();"
        "COMP_WORDS=(orchestrator run --time); COMP_CWORD=2;"
        "_orchestrator_completion orchestrator --time run; echo ${COMPREPLY[@]}"
    )
    path = f"{installed.directory / 'bin'}:/usr/bin:/bin"
    done = subprocess.run(
        ["/bin/bash", "-c", typed],
        cwd=installed.home,
        env={"PATH": path, "HOME": str(installed.home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["status", "--timeout"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_their_script(installed: Environment, shell: str) -> None:
    script = installed.run("orchestrator", _ORCHESTRATOR_COMPLETE=f"{shell}_source").stdout
    assert f"_ORCHESTRATOR_COMPLETE={shell}_complete" in script
