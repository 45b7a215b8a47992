"""Kubernetes' programs, built once from Debian's source package, kept under the user's caches.

No registry of images and no download of binaries is needed: Debian's source holds the whole
vendored tree and Debian's Go compiles it without a network. It takes ten minutes of two processors
and 3 GB, which are removed again; the folder that stays carries the hash of the recipe.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from lab import cache, mirror, proc
from lab.proc import LabError

FILES = Path(__file__).parent / "files"
SUITE = "bookworm"
VERSION = "1.20.5+really1.20.2"  # Debian's word for 1.20.2
NAMES = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubectl",
    "kubelet",
    "pause",
)
HOUR = 3600.0
GENTLY = ("--adjustment", "3")
"""How the compiler yields to clusters that run beside it: more would make those who wait for the
programs wait for as long as anybody else works."""


def folder() -> Path:
    """Return where the programs of this recipe are, built or not."""
    recipe = (VERSION, (FILES / "build.sh").read_text(), (FILES / "pause.go").read_text())
    digest = hashlib.sha256("\n".join(recipe).encode()).hexdigest()[:12]
    return cache.folder("kubernetes") / digest


def path(name: str) -> Path:
    """Return one program's path; LabError with the remedy when it is not built yet."""
    found = folder() / name
    if not found.exists():
        raise LabError(f"{name} is not built; `make kubernetes` builds it (ten minutes, once)")
    return found


def built() -> bool:
    return folder().is_dir()


def ensure() -> Path:
    """Return the folder of the programs, built when they are not there."""
    wanted = folder()
    if built():
        return wanted
    with cache.one_at_a_time(wanted.parent):
        if not built():
            print("building Kubernetes from source (about ten minutes, once)", flush=True)
            _build(wanted)
    return wanted


def remove_all() -> None:
    shutil.rmtree(cache.folder("kubernetes"), ignore_errors=True)


def sources_list(suite: str, archive: str) -> str:
    return f"deb-src {archive} {suite} main\n"


def apt_options(scratch: Path) -> list[str]:
    """Return options with which apt knows one list of sources and leaves the machine's alone."""
    places = {
        "Dir::Etc::SourceList": scratch / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": scratch / "lists",
        "Dir::Cache": scratch / "apt",
    }
    return [word for name, place in places.items() for word in ("--option", f"{name}={place}")]


def _build(wanted: Path) -> None:
    """Build in a folder beside the cache, so that what appears in the cache is whole."""
    with tempfile.TemporaryDirectory(prefix="build-", dir=wanted.parent) as name:
        scratch, out = Path(name), Path(name) / "out"
        out.mkdir()
        source = _download(scratch)
        words = [str(FILES / "build.sh"), str(source), str(scratch / "go"), str(out)]
        command = ["nice", *GENTLY, *words]
        proc.run(command, env={**os.environ, "TMPDIR": name}, timeout=2 * HOUR)
        _checked(out)
        for old in wanted.parent.iterdir():
            if old.is_dir() and old != scratch:
                shutil.rmtree(old)
        out.rename(wanted)


def _download(scratch: Path) -> Path:
    """Return the archive of the sources; apt checks it against the suite's signature."""
    for part in ("lists/partial", "apt/archives/partial"):
        (scratch / part).mkdir(parents=True)
    (scratch / "sources.list").write_text(sources_list(SUITE, mirror.mirror()))
    options = apt_options(scratch)
    proc.run(["apt-get", *options, "update"])
    fetch = ("source", "--download-only", "--only-source", "kubernetes")
    proc.run(["apt-get", *options, *fetch], cwd=scratch)
    found = scratch / f"kubernetes_{VERSION}.orig.tar.gz"
    if not found.exists():
        raise LabError(
            f"Debian {SUITE} has no Kubernetes {VERSION}: change lab/kubernetes/binaries"
        )
    return found


def _checked(out: Path) -> None:
    missing = [name for name in NAMES if not os.access(out / name, os.X_OK)]
    if missing:
        raise LabError(f"the build of Kubernetes made no {', '.join(missing)}")


if __name__ == "__main__":  # needs the standard library alone, so make can run it beside pip
    print(ensure(), file=sys.stderr)
