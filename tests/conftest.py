"""A real Kubernetes for the tests that ask for one, and lanes for those that share a lab."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from lab.kubernetes.plane import API, ControlPlane
from lab.kubernetes.where import Where
from tests import collection
from tests.lanes import Lanes

collection.register()
# How long an example takes is a matter of who else works on the machine.
hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")

KUBERNETES = {"control_plane", "new_control_plane"}
NewControlPlane = Callable[..., ControlPlane]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if KUBERNETES & set(getattr(item, "fixturenames", ())):
            item.add_marker("kubernetes")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Lanes | None:
    return Lanes(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """etcd and an API server without nodes, shared: leave nothing behind that others may meet."""
    where = Where(folder=tmp_path_factory.mktemp("kubernetes"))
    plane = ControlPlane(where=where, bound=True)
    try:
        plane.up()
        yield plane
    finally:
        plane.down()


@pytest.fixture
def new_control_plane(tmp_path: Path) -> Iterator[NewControlPlane]:
    """Return a function that makes a control plane of the test's own, to be stopped and started.

    Its argument is the programs: `API` without controllers, or `WHOLE`.
    """
    made: list[ControlPlane] = []

    def make(programs: tuple[str, ...] = API) -> ControlPlane:
        where = Where(folder=tmp_path / f"kubernetes-{len(made)}")
        made.append(ControlPlane(where=where, programs=programs, bound=True))
        made[-1].up()
        return made[-1]

    yield make
    for plane in made:
        plane.down()
