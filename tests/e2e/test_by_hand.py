"""The collection alone: `site.yml` makes a cluster, and the orchestrator takes it over later.

What makes it is the artifact with the oldest ansible-core that it works with; nothing of the Python
package is there. What comes later has the versions of this clone.
"""

import json
import re
from collections.abc import Iterator

import pytest

from tests.e2e.site import ROOT, Site, checked, thrown_away
from tests.e2e.web import answer, served
from tests.packaging.conftest import BIN, Environment, call, environment
from tests.packaging.test_collection import OLDEST
from tests.waiting import eventually


@pytest.fixture(scope="module")
def lone() -> Iterator[Site]:
    """One host with two disks."""
    with thrown_away("lone", "--hosts", "1") as found:
        yield found


class Alone:
    """`ansible-playbook` of the oldest ansible-core, and the installed artifact."""

    def __init__(self, core: Environment, site: Site) -> None:
        self._core = core
        self._inventory = site.inventory
        install = ("collection", "install", "--offline", "-p", core.home / "collections")
        call(BIN / "ansible-galaxy", "collection", "build", "--output-path", core.home, cwd=ROOT)
        (artifact,) = core.home.glob("*.tar.gz")
        core.run("ansible-galaxy", *install, artifact)

    def site(self, *words: str) -> str:
        env = {
            "ANSIBLE_COLLECTIONS_PATH": str(self._core.home / "collections"),
            "ANSIBLE_NOCOLOR": "1",
        }
        play = ("-i", self._inventory, "ceph_orchestrator.ceph.site", *words)
        return self._core.run("ansible-playbook", *play, **env).stdout


@pytest.fixture(scope="module")
def alone(lone: Site, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    core = environment(tmp_path_factory.mktemp("oldest"))
    core.install(f"ansible-core=={OLDEST}")
    return Alone(core, lone)


def changed(text: str) -> list[str]:
    return re.findall(r"changed=(\d+)", text)


def test_check_mode_on_an_empty_host_fails_nothing_and_makes_nothing(
    lone: Site, alone: Alone
) -> None:
    listing = "find /etc/ceph /var/lib/ceph /etc/systemd/system /var/lib/ceph-orchestrator"
    before = lone.ssh("ceph-1", f"{listing} 2>&1 || true")
    alone.site("--check")
    assert lone.ssh("ceph-1", f"{listing} 2>&1 || true") == before


def test_site_makes_a_cluster_and_then_changes_nothing(lone: Site, alone: Alone) -> None:
    alone.site()
    status = lone.ceph("status")
    assert status["quorum_names"] == ["a"]
    assert status["osdmap"]["num_up_osds"] == 2
    assert changed(alone.site()) == ["0"]


def test_the_orchestrator_takes_it_over_without_a_restart(lone: Site) -> None:
    limits = {"limits": {"memory": "3Gi"}}
    wanted = {"mon": {"count": 1}, "mgr": {"count": 1}, "resources": {"mgr": limits}}
    manifest = lone.changed_manifest("lone", **wanted)
    pids = "systemctl show 'ceph-*@*' --property=Id,MainPID"
    before = lone.ssh("ceph-1", pids)
    planned = lone.orchestrator("plan", "-o", "json", manifest=manifest)
    assert planned.code == 10, planned.text
    changes = [one for step in json.loads(planned.out)["steps"] for one in step["changes"]]
    created = {one["subject"] for one in changes if one["action"] == "create"}
    assert created <= {"crash"}, changes
    assert {one["action"] for one in changes} <= {"create", "update", "set", "mute"}, changes
    checked(lone.orchestrator("run", manifest=manifest))
    assert lone.orchestrator("plan", manifest=manifest).code == 0
    assert lone.ssh("ceph-1", pids) == before
    assert changed(checked(lone.playbook("site.yml"))) == ["0"]
    limit = lone.ssh("ceph-1", "systemctl", "show", "-p", "MemoryMax", "ceph-mgr@a")
    assert limit.strip() == "MemoryMax=3221225472"
    assert lone.orchestrator("plan", manifest=manifest).code == 0


def until_another(site: Site, failed: str) -> None:
    """Wait until a mgr is active that is not the one that was told to fail."""
    eventually(
        lambda: site.ceph("mgr", "dump")["active_name"],
        60,
        good=lambda name: name not in ("", failed),
        pause=0.5,
    )


def test_two_mgrs_of_one_host_serve_at_ports_of_their_own(lone: Site) -> None:
    """And the dashboard without TLS, at a port of the manifest, with a password that is made up."""
    ports = {"a": ("9283", "8080"), "b": ("9284", "8081")}
    manifest = lone.changed_manifest(
        "two-mgrs",
        mon={"count": 1},
        mgr={"count": 2, "allowMultiplePerNode": True},
        dashboard={"enabled": True, "ssl": False, "port": 8080},
    )
    checked(lone.orchestrator("run", "--timeout", "300", manifest=manifest))
    assert lone.orchestrator("plan", manifest=manifest).code == 0
    seen = []
    for _ in range(2):
        active = str(lone.ceph("mgr", "dump")["active_name"])
        seen.append(active)
        metrics, page = ports[active]
        assert "ceph_health_status" in answer(
            served(lone, "prometheus", f"http://.*:{metrics}/") + "metrics"
        )
        url = served(lone, "dashboard", f"http://.*:{page}/")
        login = json.loads(lone.ssh("ceph-1", "ceph config-key get ceph-orchestrator/dashboard"))
        assert json.loads(answer(f"{url}api/auth", login))["username"] == "admin"
        assert "MGR_MODULE_ERROR" not in lone.ceph("status")["health"]["checks"]
        assert lone.orchestrator("plan", manifest=manifest).code == 0
        lone.ssh("ceph-1", "ceph", "mgr", "fail", active)
        until_another(lone, active)
    assert sorted(seen) == ["a", "b"]
    for path in lone.state.rglob("*"):
        if path.is_file():
            assert login["password"] not in path.read_text(errors="replace"), path
