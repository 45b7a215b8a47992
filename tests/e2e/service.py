"""The service of `orchestrator run --watch` on a lab host, set up as docs/watch.md says."""

import shlex
import sys
from pathlib import Path

import yaml

from lab import podman
from lab.kubernetes.operator_image import PLATFORMS
from lab.settings import Lab
from tests.e2e.site import ROOT, Site, call, checked

HOME = "/var/lib/ceph-orchestrator"
PROGRAM = "/opt/ceph-orchestrator"
UNIT = "orchestrator@demo"


def wheels(site: Site, host: str) -> Path:
    """The package, what it needs on that host, and pip: a lab host reaches no index."""
    folder = site.folder / "wheels"
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir")
    checked(call([*build, str(folder / "own"), str(ROOT)]))
    (own,) = (folder / "own").glob("*.whl")
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    python = site.ssh(host, f"python3 -c {shlex.quote(code)}").strip()
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    download = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check")
    fitting = ("--only-binary=:all:", "--python-version", python, *platforms)
    checked(call([*download, "--dest", str(folder), *fitting, str(own), "pip"]))
    return folder


def install(site: Site, host: str) -> None:
    """The commands of the page, with wheels that were brought along in place of an index."""
    podman.run("cp", f"{wheels(site, host)}", f"{Lab.at(site.folder).container(host)}:/wheels")
    podman.run("cp", f"{ROOT / 'deploy'}", f"{Lab.at(site.folder).container(host)}:/deploy")
    pip = f"{PROGRAM}/bin/python $(echo /wheels/pip-*.whl)/pip install --quiet --no-index"
    site.ssh(
        host,
        "set -e;"
        "apt-get update -qq && apt-get install -qq --no-install-recommends openssh-client;"
        f"python3 -m venv --without-pip {PROGRAM};"
        f"{pip} --find-links /wheels /wheels/own/ceph_orchestrator-*.whl;"
        "install -m 0644 /deploy/systemd/ceph-orchestrator.conf /usr/lib/sysusers.d/;"
        "systemd-sysusers;"
        "install -m 0644 /deploy/systemd/orchestrator@.service /etc/systemd/system/;"
        "systemctl daemon-reload",
    )


def configure(site: Site, host: str, manifest: Path) -> None:
    """Manifest, inventory and an SSH key where the unit looks for them."""
    lab = yaml.safe_load(site.inventory.read_text())["all"]
    kept = {name: value for name, value in lab["vars"].items() if "ssh" not in name}
    kept = {name: value for name, value in kept.items() if "control" not in name}
    inventory = yaml.safe_dump({"all": {**lab, "vars": kept}})
    write(site, host, "/etc/orchestrator/demo/inventory", inventory)
    write(site, host, "/etc/orchestrator/demo/cluster.yaml", manifest.read_text())
    for name in ("id_ed25519", "known_hosts"):
        write(site, host, f"{HOME}/.ssh/{name}", (site.folder / "ssh" / name).read_text())
    site.ssh(host, f"chown -R ceph-orchestrator: {HOME} && chmod -R go= {HOME}")


def write(site: Site, host: str, path: str, text: str) -> None:
    """Whole or not at all, as an editor does."""
    put = f"install -D -m 0644 /dev/stdin {path}.new && mv {path}.new {path}"
    site.ssh(host, f"printf %s {shlex.quote(text)} | {{ {put}; }}")


def said(site: Site, host: str) -> str:
    return site.ssh(host, f"journalctl --unit={UNIT} --output=cat --no-pager")


def state(site: Site, host: str, name: str) -> str:
    """A property of the unit, as `systemctl show` has it."""
    return site.ssh(host, f"systemctl show --property={name} --value {UNIT}").strip()
