import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.model import names


@pytest.mark.parametrize(
    ("index", "letter"),
    [(0, "a"), (1, "b"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (702, "aaa")],
)
def test_letters_are_rooks(index, letter):
    assert names.daemon_letter(index) == letter
    assert names.letter_index(letter) == index


@given(st.integers(0, 10**9))
def test_the_index_comes_back(index):
    assert names.letter_index(names.daemon_letter(index)) == index


def test_a_negative_index_has_no_letter():
    with pytest.raises(ValueError, match="at least 0"):
        names.daemon_letter(-1)


@pytest.mark.parametrize("name", ["", "A", "ceph-1", "0", "ä"])
def test_other_names_are_no_letters(name):
    with pytest.raises(ValueError, match="not a letter name"):
        names.letter_index(name)


def test_a_key_is_written_as_kubectl_writes_it():
    assert str(names.ClusterKey("rook-ceph", "my-cluster")) == "rook-ceph/my-cluster"
