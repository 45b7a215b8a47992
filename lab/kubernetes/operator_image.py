"""The operator's image, built from this clone and the lab's image of Ceph.

A container reaches no package index, so the wheels are downloaded outside, for the Python inside.
"""

import hashlib
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lab import cache, images, podman, proc, settings
from lab.kubernetes import binaries, scratch
from lab.proc import LabError

ROOT = Path(__file__).resolve().parents[2]
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
# The name that examples/cluster-kubernetes.yaml has. There is no registry, so the lab's image of
# the same release stands in its place on the nodes.
CEPH = "quay.io/ceph/ceph:v20.2.4"
RELEASE = 20
KUBECTL = "localhost/ceph-orchestrator-lab-kubectl:1.20.2"
REPOSITORY = "localhost/ceph-orchestrator"
BESIDE = ("ansible", "pip")  # see the Containerfile
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")


def ensure() -> tuple[str, str]:
    """Return the names of the operator's image and of Ceph's, both made as this clone is now."""
    ceph = images.ensure(settings.SUITES[RELEASE])
    with tempfile.TemporaryDirectory() as name:
        context = Path(name)
        wheel = _build_wheel(context / "own")
        wheels = _ensure_wheels(wheel, _python_of(ceph))
        (context / "wheels").mkdir()
        for path in wheels.glob("*.whl"):
            shutil.copy(path, context / "wheels")
        image = f"{REPOSITORY}:{version(wheel.name)}"
        own = hashlib.sha256(wheel.read_bytes()).hexdigest()
        contents = {"KUBECTL_IMAGE": _kubectl(), "WHEELS": wheels.name, "OWN": own}
        command = build_command(context, image, {"CEPH_IMAGE": ceph, **contents})
        podman.run(*command, timeout=1200)
        podman.run(*stand_in_command(context, ceph))
    return image, CEPH


def collections_wheel() -> Path:
    """Return the package with Ansible's collections that the last image was built with."""
    found = cache.folder("wheels").glob("*/ansible-*.whl")
    newest = max(found, key=lambda path: path.stat().st_mtime, default=None)
    if newest is None:
        raise LabError("no operator's image was built yet: `lab kubernetes load-operator` first")
    return newest


def version(wheel: str) -> str:
    """Return the version in a wheel's file name."""
    return wheel.split("-")[1]


def build_command(context: Path, image: str, arguments: Mapping[str, str]) -> list[str]:
    """Return podman's words for the image."""
    words = (f"--build-arg={name}={value}" for name, value in arguments.items())
    return [
        *("build", "--quiet", "--layers", "--pull=never", "--network", "none"),
        *(*podman.limits(), *words),
        *("--file", str(CONTAINERFILE), "--tag", image, str(context)),
    ]


def stand_in_command(context: Path, ceph: str) -> list[str]:
    """Return podman's words for an image of Ceph's own name: another one, not a second name."""
    (context / "Containerfile").write_text(f"FROM {ceph}\nLABEL {settings.LABEL}=stand-in\n")
    return ["build", "--quiet", "--pull=never", *podman.limits(), "--tag", CEPH, str(context)]


def download_command(wheel: Path, python: str, target: Path) -> list[str]:
    """Return pip's words that fetch what the wheel needs for another Python than this one."""
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    return [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--dest", str(target), "--only-binary=:all:", "--python-version", python, *platforms),
        *(f"{wheel}[kubernetes]", *BESIDE),
    ]


def _build_wheel(folder: Path) -> Path:
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder))
    proc.run([*build, str(ROOT)])
    (found,) = folder.glob("*.whl")
    return found


def _ensure_wheels(wheel: Path, python: str) -> Path:
    """Return a folder with what the wheel needs; pyproject.toml says what that is."""
    recipe = (ROOT / "pyproject.toml").read_text() + python + " ".join((*BESIDE, *PLATFORMS))
    folder = cache.folder("wheels")
    wanted = folder / hashlib.sha256(recipe.encode()).hexdigest()[:12]
    with cache.one_at_a_time(folder):
        if not wanted.is_dir():
            with tempfile.TemporaryDirectory(dir=folder) as name:
                out = Path(name) / "out"
                proc.run(download_command(wheel, python, out))
                (out / wheel.name).unlink()
                out.rename(wanted)
    return wanted


def _python_of(image: str) -> str:
    said = podman.run("run", "--rm", "--network", "none", *podman.limits(), image, "python3", "-V")
    return ".".join(re.findall(r"\d+", said)[:2])


def _kubectl() -> str:
    return scratch.ensure(KUBECTL, {"bin/kubectl": binaries.path("kubectl")})
