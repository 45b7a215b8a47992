"""Mgr modules, options, secrets and mutes on a real cluster: set, served, and taken back."""

import json
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.e2e.site import BIN, Site, call, checked
from tests.e2e.web import answer, served

pytestmark = pytest.mark.usefixtures("built")

MARKER = "secret-marker-4711.example"
PASSWORD = "Given-marker-4712"  # noqa: S105 - of a throw-away cluster
IN_A_FILE = "file-marker-4713.example"
SECRETS = {
    "dns": {"name": MARKER},
    "website": {"name": "{{ lookup('ansible.builtin.file', inventory_dir ~ '/website') }}"},
    "rook-ceph-dashboard-password": {"password": PASSWORD},
}
HIDDEN = (MARKER, PASSWORD, IN_A_FILE)
RATIOS = {"nearFullRatio": 0.7, "fullRatio": 0.96}
CODE, KEPT = "OSDMAP_FLAGS", "RECENT_MGR_MODULE_CRASH"


def stored(site: Site) -> dict[str, Any]:
    """The storage section of the site's own manifest."""
    return dict(yaml.safe_load(site.manifest.read_text())["spec"]["storage"])


def spec(site: Site) -> dict[str, Any]:
    """What the tests ask for on top of the site's manifest."""
    dashboard = {"enabled": site.ceph_major == "20", "ssl": True, "urlPrefix": "/ceph"}
    return {
        "cephConfig": {
            "global": {"mon_data_avail_warn": "1"},
            "osd": {"osd_memory_target": "939524096", "osd_max_scrubs": "2"},
        },
        "cephConfigFromSecret": {
            "client": {
                "rgw_dns_name": {"name": "dns", "key": "name"},
                "rgw_dns_s3website_name": {"name": "website", "key": "name"},
            }
        },
        "dashboard": dashboard,
        "healthCheck": {"muteHealthWarning": {code: {"policy": "mute"} for code in (CODE, KEPT)}},
        "monitoring": {"port": 9998, "interval": "20s"},
        "storage": {**stored(site), **RATIOS},
    }


@pytest.fixture(scope="module")
def vault(site: Site) -> Path:
    """An inventory with secrets, encrypted by Ansible Vault."""
    password, secrets = site.folder / "vault-password", site.folder / "secrets.yml"
    password.write_text("a password of the vault\n")
    (site.folder / "website").write_text(f"{IN_A_FILE}\n")
    secrets.write_text(json.dumps({"all": {"vars": {"ceph_secrets": SECRETS}}}))
    vault = ["--vault-password-file", str(password), str(secrets)]
    checked(call([str(BIN / "ansible-vault"), "encrypt", *vault]))
    assert MARKER not in secrets.read_text()
    return secrets


@pytest.fixture
def words(site: Site, vault: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.setenv("ANSIBLE_VAULT_PASSWORD_FILE", str(site.folder / "vault-password"))
    return ("-i", str(vault))


@contextmanager
def watched(texts: tuple[str, ...]) -> Iterator[list[str]]:
    """The command lines on this machine, lab hosts included, that hold one of `texts`."""
    seen: list[str] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    line = path.read_bytes().decode(errors="replace")
                except OSError:
                    continue
                seen.extend(text for text in texts if text in line)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def option(site: Site, who: str, name: str) -> str:
    return site.ssh("ceph-1", "ceph", "config", "get", who, name).strip()


def muted(site: Site) -> set[str]:
    return {one["code"] for one in site.ceph("status")["health"]["mutes"]}


def ratios(site: Site) -> tuple[float, ...]:
    found = site.ceph("osd", "dump")
    kinds = ("nearfull", "backfillfull", "full")
    return tuple(round(found[f"{kind}_ratio"], 6) for kind in kinds)


def test_what_the_manifest_asks_for_is_planned_and_set(site: Site, words: tuple[str, ...]) -> None:
    site.ssh("ceph-1", "ceph", "config", "set", "osd", "osd_scrub_sleep", "0.5")
    manifest = site.changed_manifest("config", **spec(site))
    planned = site.orchestrator("plan", *words, manifest=manifest)
    assert planned.code == 10, planned.text
    assert "config osd/osd_max_scrubs" in planned.out
    assert "mgr module prometheus" in planned.out
    assert re.search(r"nearfull ratio of OSDs .*0\.7 instead of 0\.85", planned.out)
    assert re.search(r"config client/rgw_dns_name .*sha256:[0-9a-f]{12} instead", planned.out)
    with watched(HIDDEN) as lines:
        done = site.orchestrator("run", "--timeout", "300", *words, manifest=manifest)
    checked(done)
    assert lines == []
    again = site.orchestrator("plan", *words, manifest=manifest)
    assert (again.code, again.out.strip()) == (0, "rook-ceph/demo: nothing to do")
    assert option(site, "osd", "osd_max_scrubs") == "2"
    assert option(site, "client.rgw.x", "rgw_dns_name") == MARKER
    assert option(site, "client.rgw.x", "rgw_dns_s3website_name") == IN_A_FILE
    assert muted(site) == {CODE, KEPT}
    assert ratios(site) == (0.7, 0.9, 0.96)
    for text in (planned.text, done.text, again.text):
        assert not [secret for secret in HIDDEN if secret in text]


def test_metrics_are_served_at_the_wanted_port(site: Site) -> None:
    url = served(site, "prometheus", r"http://.*:9998/")
    assert "ceph_health_status" in answer(f"{url}metrics")
    assert float(option(site, "mgr", "mgr/prometheus/scrape_interval")) == 20


def test_the_dashboard_lets_its_admin_in(site: Site) -> None:
    if site.ceph_major != "20":
        pytest.skip("the lab's hosts with Ceph 16 have no dashboard")
    url = served(site, "dashboard", r"https://.*:8443/ceph/")
    assert "<html" in answer(url).lower()
    place = urlsplit(url)
    shown = ssl.get_server_certificate((str(place.hostname), place.port or 0))
    stored = site.ssh("ceph-1", "ceph", "config-key", "get", "mgr/dashboard/crt")
    assert shown.split() == stored.split()
    login = {"username": "admin", "password": PASSWORD}
    assert json.loads(answer(f"{url}api/auth", login))["username"] == "admin"
    kept = json.loads(
        site.ssh("ceph-1", "ceph", "config-key", "get", "ceph-orchestrator/dashboard")
    )
    assert kept == login


def test_no_secret_is_left_in_state_or_logs(site: Site) -> None:
    for path in site.state.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode(errors="replace")
            assert not [secret for secret in HIDDEN if secret in text], path
    for host in ("ceph-1", "ceph-2", "ceph-3"):
        logs = site.ssh(host, "cat /var/log/ceph/*.log; journalctl --no-pager")
        assert not [secret for secret in HIDDEN if secret in logs]


def test_an_empty_workstation_takes_back_what_was_ours_and_nothing_else(
    site: Site, tmp_path: Path, words: tuple[str, ...]
) -> None:
    empty = {**site.environment(), "XDG_STATE_HOME": str(tmp_path)}
    files = ["-f", str(site.manifest), "-i", str(site.inventory), *words]
    planned = call([str(BIN / "orchestrator"), "plan", *files], env=empty)
    assert planned.code == 10, planned.text
    unset = set(re.findall(r"unset +config (\S+)", planned.out))
    assert {"osd/osd_max_scrubs", "client/rgw_dns_name", "mgr/mgr/prometheus/server_port"} <= unset
    assert not any("osd_scrub_sleep" in one for one in unset)
    assert f"health {CODE}" in planned.out
    checked(call([str(BIN / "orchestrator"), "run", "--timeout", "300", *files], env=empty))
    # A standby starts anew when modules change: the first workstation waits for it, and no more.
    again = checked(site.orchestrator("run", "--timeout", "120", "--output", "json"))
    assert json.loads(again.splitlines()[-1])["steps"] == []
    assert site.orchestrator("plan").code == 0
    assert option(site, "osd", "osd_max_scrubs") != "2"
    assert float(option(site, "osd", "osd_scrub_sleep")) == 0.5
    assert muted(site) == {KEPT}
    assert ratios(site) == (0.7, 0.9, 0.96)  # as in Rook, they stay
    served(site, "prometheus", r"http://.*:9283/")
    assert "dashboard" not in site.ceph("mgr", "services")
    site.ssh("ceph-1", "ceph", "config", "rm", "osd", "osd_scrub_sleep")


def test_c31_caps_that_drifted_are_repaired_and_the_key_stays(site: Site) -> None:
    def user() -> dict[str, Any]:
        return dict(site.ceph("auth", "get", "osd.0")[0])

    before, started = user(), site.ssh("ceph-1", "systemctl show 'ceph-*@*' -p MainPID")
    site.ssh("ceph-1", "ceph auth caps osd.0 mon 'allow profile osd' osd 'allow *'")
    planned = site.orchestrator("plan")
    assert "user osd.0" in planned.out
    checked(site.orchestrator("run"))
    assert user() == before
    assert site.ssh("ceph-1", "systemctl show 'ceph-*@*' -p MainPID") == started
