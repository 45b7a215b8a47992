"""Makes the collection importable by its own name, wherever the repository lies."""

import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]


def _register(name: str, *paths: str) -> None:
    package = ModuleType(name)
    package.__path__ = list(paths)
    sys.modules.setdefault(name, package)


_register("ansible_collections")
_register("ansible_collections.ceph_orchestrator")
_register("ansible_collections.ceph_orchestrator.ceph", str(ROOT))
