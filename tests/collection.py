"""Makes the collection importable by its own name, wherever the repository lies."""

import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def register() -> None:
    """Python finds the collection's parts from now on; Ansible does so by its own search."""
    _package("ansible_collections")
    _package("ansible_collections.ceph_orchestrator")
    _package("ansible_collections.ceph_orchestrator.ceph", str(ROOT))


def _package(name: str, *paths: str) -> None:
    package = ModuleType(name)
    package.__path__ = list(paths)
    sys.modules.setdefault(name, package)
