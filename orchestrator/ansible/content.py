"""Where playbooks, roles and modules lie: inside the package in a wheel, above it in a clone."""

from pathlib import Path

COLLECTION = ("ceph_orchestrator", "ceph")


def root() -> Path:
    """The root of the collection."""
    package = Path(__file__).resolve().parent.parent
    bundled = package / "content"
    return bundled if (bundled / "galaxy.yml").is_file() else package.parent


def playbook(name: str) -> Path:
    return root() / "playbooks" / name


def link_collection(directory: Path) -> Path:
    """Make `directory` a collections path in which Ansible finds this collection by its name."""
    home = directory / "ansible_collections" / COLLECTION[0]
    home.mkdir(parents=True)
    (home / COLLECTION[1]).symlink_to(root(), target_is_directory=True)
    return directory


def importable(directory: Path) -> Path:
    """Make `directory` a path on which Python itself finds this collection's code."""
    path = link_collection(directory)
    # Ansible's own package, where it is installed, would hide ours: the first one found counts.
    (path / "ansible_collections" / "__init__.py").touch()
    return path
