"""Images for pods: taken from podman to every node, because there is no registry."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab import podman
from lab.kubernetes import binaries, nodes, scratch
from lab.settings import Lab

PAUSE = "localhost/ceph-orchestrator-lab-pause:2"  # containerd.toml names it too


def load(lab: Lab, names: Sequence[str], *images: str) -> list[str]:
    """Give images of podman to those nodes that lack one of them; return these nodes."""
    wanted = {
        image: podman.run("image", "inspect", "--format", "{{.Id}}", image) for image in images
    }
    lacking = [node for node in names if not wanted.items() <= loaded(lab, node).items()]
    if lacking:
        with tempfile.TemporaryDirectory(dir=nodes.images(lab)) as folder:
            archive = Path(folder) / "images.tar"
            save = ("save", "--quiet", "--multi-image-archive", "--format", "docker-archive")
            podman.run(*save, "--output", str(archive), *images)
            inside = f"/images/{archive.relative_to(nodes.images(lab))}"
            with ThreadPoolExecutor(len(lacking)) as pool:
                list(pool.map(lambda node: _import(lab, node, inside, wanted), lacking))
    return lacking


def ensure_pause() -> str:
    """Return the image of the process that holds a pod's namespaces, made when it is not there."""
    return scratch.ensure(PAUSE, {"pause": binaries.path("pause")}, 'ENTRYPOINT ["/pause"]')


def loaded(lab: Lab, node: str) -> dict[str, str]:
    """Return podman's id of each image that the node was given, by name."""
    try:
        given: dict[str, str] = json.loads(_record(lab, node).read_text())
    except FileNotFoundError:
        return {}
    return given


def _id(image: str) -> str:
    return podman.run("image", "inspect", "--format", "{{.Id}}", image).strip()


def _record(lab: Lab, node: str) -> Path:
    return lab.dir / "state" / node / "images.json"


def _import(lab: Lab, node: str, archive: str, images: Mapping[str, str]) -> None:
    command = ("ctr", "--namespace", "k8s.io", "images", "import", archive)
    podman.run("exec", lab.container(node), *command)
    _record(lab, node).write_text(json.dumps({**loaded(lab, node), **images}))
