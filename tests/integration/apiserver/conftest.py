"""A namespace for each test, on one API server."""

import logging
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import structlog

from lab.kubernetes.plane import ControlPlane
from orchestrator.controller import logs
from orchestrator.stores.kubernetes.connection import Connection, connect
from tests.integration.apiserver.site import Site, with_crd

NUMBERS = count(1)


@pytest.fixture(scope="session")
def connection(control_plane: ControlPlane) -> Connection:
    found = connect(control_plane.kubeconfig)
    with_crd(found)
    return found


@pytest.fixture
def site(connection: Connection, tmp_path: Path) -> Site:
    return Site(connection, f"rook-ceph-{next(NUMBERS)}", tmp_path).begin()


@pytest.fixture(scope="session", autouse=True)
def _logs() -> Iterator[None]:
    """As the operator logs; pytest's own handlers are put back at the end."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    logs.set_up("INFO")
    yield
    root.handlers[:] = before
    root.setLevel(level)
    structlog.reset_defaults()
