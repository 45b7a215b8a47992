"""One lab and one cluster for each release of Ceph, shared by every test of that release."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import Done, Site, checked, thrown_away

RELEASES = ("20", "16")
LONG_ON_16 = ("test_config.py", "test_osd_updates.py", "test_services.py", "test_spare_osds.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "e2e" in Path(item.path).parts:
            item.add_marker("e2e")
        if Path(item.path).name in LONG_ON_16 and "[ceph16" in item.name:
            item.add_marker("long")


@pytest.fixture(scope="session", params=RELEASES, ids=lambda major: f"ceph{major}")
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """Three hosts with two disks each, empty."""
    with thrown_away(request.param, "--hosts", "3", ceph=request.param) as found:
        yield found


@pytest.fixture(scope="session")
def built(site: Site) -> Done:
    """The first run of `orchestrator run` on the empty hosts of `site`."""
    done = site.orchestrator("run", "--output", "plain")
    checked(done)
    return done
