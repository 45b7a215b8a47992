import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import letters

PLACES = [(0, "a"), (25, "z"), (26, "aa"), (27, "ab"), (701, "zz"), (702, "aaa")]


@pytest.mark.parametrize(("place", "name"), PLACES)
def test_a_place_has_one_name_and_a_name_one_place(place: int, name: str) -> None:
    assert letters.letter(place) == name
    assert letters.place(name) == place


@pytest.mark.parametrize("name", ["", "A", "a1", "ceph-1", "é", "1"])
def test_a_name_of_anything_but_small_letters_has_no_place(name: str) -> None:
    assert letters.place(name) == letters.NO_PLACE
