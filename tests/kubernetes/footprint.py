"""What a cluster leaves on nodes: their disks, byte for byte, and their folders."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from lab import disks, podman
from lab.kubernetes.cluster import Cluster
from tests.e2e.contents import CHUNK, written

DATA = "/var/lib/rook"
ZEROS = bytes(CHUNK)


def images(made: Cluster) -> Iterator[tuple[str, Path]]:
    """The file behind each disk of each node."""
    for node in made.nodes:
        for letter in disks.letters(made.lab, node):
            yield f"{node}-{letter}", disks.image(made.lab, node, letter)


def all_disks(made: Cluster) -> dict[str, str]:
    """A digest of all bytes of each disk; nothing may write to them meanwhile."""
    os.sync()
    return {name: _digest(path) for name, path in images(made)}


def _digest(path: Path) -> str:
    """Of what is not zero and where it is, so that a hole is what it reads as."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        for at in written(file.fileno(), size):
            chunk = os.pread(file.fileno(), CHUNK, at)
            if chunk != ZEROS[: len(chunk)]:
                found.update(b"%d:%d:" % (at, len(chunk)) + chunk)
    return found.hexdigest()


def folders(made: Cluster, *under: str) -> dict[str, str]:
    """A digest of each file below the nodes' dataDirHostPath; of `under` alone, if given."""
    places = " ".join(under) or "."
    script = f"cd {DATA} && find {places} -type f -exec sha256sum {{}} + 2>/dev/null | sort"
    found = {}
    for node in made.nodes:
        for line in on(made, node, script).splitlines():
            digest, _space, name = line.partition("  ")
            found[f"{node}:{name.removeprefix('./')}"] = digest
    return found


def on(made: Cluster, node: str, script: str) -> str:
    """What a script of the shell prints on a node."""
    return podman.run("exec", made.lab.container(node), "sh", "-c", script)
