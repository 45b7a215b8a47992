"""What `ansible-test sanity` is told to overlook is one list, with a reason for each entry."""

import re

import pytest

from tests.contract.paths import ROOT

SANITY = ROOT / "tests" / "sanity"
OLDEST, NEWEST = 16, 21
LICENCE = "the collection is licensed under Apache-2.0"
PROGRAM = "a program that the role puts on the hosts"


def wanted() -> set[str]:
    """Ansible's own modules are under the GPL, and only they may be programs."""
    modules = (path.name for path in (ROOT / "plugins" / "modules").glob("*.py"))
    programs = ROOT.glob("roles/*/files/*.py")
    return {
        *(
            f"plugins/modules/{name} validate-modules:missing-gplv3-license  # {LICENCE}"
            for name in modules
        ),
        *(f"{path.relative_to(ROOT)} shebang  # {PROGRAM}" for path in programs),
    }


@pytest.mark.parametrize("minor", range(OLDEST, NEWEST + 1))
def test_the_list_is_the_same_for_every_ansible(minor: int) -> None:
    lines = (SANITY / f"ignore-2.{minor}.txt").read_text().splitlines()
    assert set(lines) == wanted()
    assert len(lines) == len(wanted())


def test_there_is_no_other_list() -> None:
    found = {re.sub(r"\D+", "", path.stem[7:]) for path in SANITY.iterdir()}
    assert found == {f"2{minor}" for minor in range(OLDEST, NEWEST + 1)}
