"""A lab with real hosts and what an admin would do to it: the CLI, ssh, and Ceph's own commands."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.keys import known_hosts, ssh_command
from lab.settings import Lab
from tests.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


@dataclass(frozen=True, slots=True)
class Site:
    """One lab and the state that an admin's workstation keeps of its cluster."""

    folder: Path
    ceph_major: str
    manifest: Path

    @property
    def inventory(self) -> Path:
        return self.folder / "inventory.yml"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def home(self) -> Path:
        return self.state / "orchestrator" / "rook-ceph" / "demo"

    def lab(self, *words: str) -> str:
        command = [sys.executable, "-m", "lab", "--dir", str(self.folder), *words]
        return checked(call(command, cwd=ROOT))

    def ssh(self, host: str, *words: str) -> str:
        """As `python -m lab ssh`, without the start of a Python and a look at podman's networks."""
        lab = Lab.at(self.folder)
        names = (line.split()[0].split(",") for line in known_hosts(lab).read_text().splitlines())
        return checked(call([*ssh_command(lab, dict(names)[host]), *words]))

    def orchestrator(self, verb: str, *words: str, manifest: Path | None = None) -> Done:
        files = ["-f", str(manifest or self.manifest), "-i", str(self.inventory)]
        return call([str(BIN / "orchestrator"), verb, *files, *words], env=self.environment())

    def environment(self) -> dict[str, str]:
        return {**os.environ, "XDG_STATE_HOME": str(self.state)}

    def ceph(self, *words: str) -> Any:
        return json.loads(self.ssh("ceph-1", "ceph", *words, "--format", "json"))

    def healthy(self, seconds: float = 120.0) -> dict[str, Any]:
        """`ceph status` once it is HEALTH_OK; the last one as an error otherwise."""
        return eventually(
            lambda: self.ceph("status"),
            seconds,
            good=lambda status: status["health"]["status"] == "HEALTH_OK",
            tell=lambda status: json.dumps(status["health"], indent=2),
            pause=1,
        )

    def runs(self) -> list[str]:
        """The playbook runs so far, oldest first."""
        return sorted(path.name for path in (self.home / "runs").iterdir())

    def changed_manifest(self, name: str, **spec: Any) -> Path:
        """The site's manifest with other values in its spec."""
        document = yaml.safe_load(self.manifest.read_text())
        document["spec"].update(spec)
        path = self.folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump(document))
        return path

    def playbook(self, name: str, *words: str) -> Done:
        command = [str(BIN / "ansible-playbook"), "-i", str(self.inventory), *words]
        environment = {
            **os.environ,
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "ANSIBLE_NOCOLOR": "1",
            "PATH": f"{BIN}:{os.environ['PATH']}",
        }
        return call([*command, f"playbooks/{name}"], env=environment, cwd=ROOT)


@contextmanager
def thrown_away(name: str, *up: str, ceph: str = "20") -> Iterator[Site]:
    """A lab of its own for some tests, removed after them; remains of a cut test run go first."""
    folder = ROOT / f".lab-test-{name}"
    site = Site(folder=folder, ceph_major=ceph, manifest=ROOT / "examples" / "cluster.yaml")
    remove(site)
    try:
        site.lab("up", "--ceph", ceph, *up)
        yield site
    finally:
        remove(site)


def remove(site: Site) -> None:
    site.lab("down")
    shutil.rmtree(site.folder, ignore_errors=True)


def call(command: list[str], *, env: dict[str, str] | None = None, cwd: Path | None = None) -> Done:
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        timeout=600,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def checked(done: Done) -> str:
    assert done.code == 0, done.text
    return done.out
