"""Images that hold a few files and nothing else."""

import io
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lab import podman


def ensure(image: str, files: Mapping[str, Path], *changes: str) -> str:
    """Return the image, made when it is not there.

    Args:
        image: its name; a new content needs a new one.
        files: each file by its path in the image; all of them are programs.
        changes: lines of a Containerfile.

    """
    if podman.attempt("image", "exists", image).returncode != 0:
        with tempfile.TemporaryDirectory() as folder:
            tarball = Path(folder) / "root.tar"
            tarball.write_bytes(
                root_filesystem({name: path.read_bytes() for name, path in files.items()})
            )
            options = (word for change in changes for word in ("--change", change))
            podman.run("import", "--quiet", *options, str(tarball), image)
    return image


def root_filesystem(files: Mapping[str, bytes]) -> bytes:
    """Return a tar of the programs."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()
