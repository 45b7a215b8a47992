"""Root file systems with Debian, systemd, sshd and one release of Ceph.

Made by mmdebstrap, kept twice: as a podman image, ready to run, and as a tarball under the user's
caches, so that a machine that lost its images need not download again. Both carry the hash of the
recipe; a changed recipe is another image.
"""

import dataclasses
import hashlib
import os
import sys
import tempfile
from pathlib import Path

from lab import cache, mirror, podman, proc, settings

REPOSITORY = "localhost/ceph-orchestrator-lab"
SETUP = Path(__file__).parent / "files" / "image-setup.sh"
COMMON = (
    "ceph-common ceph-mgr ceph-mon ceph-osd cryptsetup-bin curl dbus iproute2 iputils-ping kmod "
    "logrotate lvm2 openssh-server procps python3 systemd systemd-sysv udev"
)
NODE_SUITE = "bookworm"
NODE = (
    "conntrack containerd containernetworking-plugins dbus ethtool iproute2 iptables iputils-ping "
    "jq kmod procps runc socat systemd systemd-sysv udev util-linux"
)
EXTRA = {
    # Until Ceph 16 the package ceph-osd held ceph-volume.
    "bookworm": (),
    "trixie": ("ceph-volume",),
    # Before Ceph 20 only one mgr module of a process can load Debian's python3-cryptography. Beside
    # the dashboard others fail that are on by default, and the cluster warns for ever.
    "forky": ("ceph-volume", "ceph-mgr-dashboard"),
}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """All that an image is made from; two recipes with another `hash` are other images."""

    suite: str
    packages: tuple[str, ...]
    mirror: str
    setup: str
    kind: str = ""

    @property
    def hash(self) -> str:
        text = "\n".join((*self.command("IMAGE"), self.setup))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def image(self) -> str:
        return f"{self.repository}:{self.suite}-{self.hash}"

    @property
    def repository(self) -> str:
        return f"{REPOSITORY}{self.kind}"

    @property
    def tarball(self) -> str:
        return self.tarball_of(self.hash)

    def tarball_of(self, digest: str) -> str:
        return f"{self.suite}{self.kind}-{digest}.tar"

    def command(self, target: str) -> list[str]:
        """Return mmdebstrap's words, which write the root filesystem as a tar to `target`."""
        # The suite's key may be newer than the machine's keyring and its Release file may have
        # expired between two snapshots: neither matters for a throw-away host.
        return [
            "mmdebstrap",
            "--variant=minbase",
            "--mode=root",
            "--format=tar",
            '--aptopt=Acquire::Check-Valid-Until "false"',
            '--aptopt=APT::Install-Recommends "false"',
            "--dpkgopt=path-exclude=/usr/share/doc/*",
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=path-exclude=/usr/share/locale/*",
            f"--include={','.join(self.packages)}",
            f"--customize-hook={SETUP.name}",
            self.suite,
            target,
            f"deb [trusted=yes] {self.mirror} {self.suite} main",
        ]


def recipe(suite: str) -> Recipe:
    return Recipe(
        suite=suite,
        packages=tuple(sorted((*COMMON.split(), *EXTRA[suite]))),
        mirror=mirror.mirror(),
        setup=SETUP.read_text(),
    )


def node_recipe() -> Recipe:
    """Return what a node of Kubernetes needs besides Kubernetes' own programs."""
    return dataclasses.replace(
        recipe(NODE_SUITE), packages=tuple(sorted(NODE.split())), kind="-node"
    )


def cache_dir() -> Path:
    return cache.folder("images")


def ensure(suite: str) -> str:
    """Return the name of a podman image of the suite, made when it is not there."""
    return ensure_recipe(recipe(suite))


def ensure_recipe(wanted: Recipe) -> str:
    """Return the name of the recipe's podman image, made when it is not there."""
    if podman.attempt("image", "exists", wanted.image).returncode == 0:
        return wanted.image
    with cache.one_at_a_time(cache_dir()):
        if podman.attempt("image", "exists", wanted.image).returncode != 0:
            _import(wanted, _tarball(wanted))
    return wanted.image


def remove_all() -> None:
    """Remove every image of every lab and the tarballs."""
    for repository in (REPOSITORY, node_recipe().repository):
        names = podman.run("images", "--quiet", "--no-trunc", repository).split()
        if names:
            podman.run("rmi", "--force", *dict.fromkeys(names))
    for path in cache_dir().glob("*"):
        path.unlink()


def remove_outdated() -> None:
    """Remove images of recipes that have changed, unless a host still runs from one."""
    recipes = [recipe(suite) for suite in settings.SUITES.values()] + [node_recipe()]
    current = {recipe.image for recipe in recipes}
    for repository in {recipe.repository for recipe in recipes}:
        names = podman.run("images", "--format", "{{.Repository}}:{{.Tag}}", repository).split()
        # Podman lists an image under its other names too, which are not ours to take away.
        for name in {name for name in names if name.startswith(f"{repository}:")} - current:
            podman.attempt("rmi", name)


def _tarball(wanted: Recipe) -> Path:
    path = cache_dir() / wanted.tarball
    if not path.exists():
        print(f"building an image of Debian {wanted.suite} (about a minute, once)", flush=True)
        _build(wanted, path)
    return path


def _build(wanted: Recipe, path: Path) -> None:
    part = path.with_suffix(".part")
    command = [
        f"--customize-hook={SETUP}" if word.startswith("--customize-hook=") else word
        for word in wanted.command(str(part))
    ]
    with tempfile.TemporaryDirectory(prefix="lab-image-") as scratch:
        proc.run(command, env={**os.environ, "TMPDIR": scratch}, timeout=1800)
    for old in cache_dir().glob(wanted.tarball_of("[0-9a-f]" * 12)):
        old.unlink()
    part.rename(path)


def _import(wanted: Recipe, tarball: Path) -> None:
    podman.run("import", "--quiet", str(tarball), wanted.image, timeout=1800)
    remove_outdated()


if __name__ == "__main__":  # needs the standard library alone, so make can run it beside pip
    for release in sys.argv[1:]:
        ensure_recipe(node_recipe() if release == "node" else recipe(settings.SUITES[int(release)]))
