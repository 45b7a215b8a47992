import pytest

from orchestrator.model.spec import patterns

DISKS = ("sda", "sdb", "sdh", "sdi", "sdaa", "nvme0n1", "nvme0n10", "nvme1n1p3")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^sd[b-h]", {"sdb", "sdh"}),
        ("sda", {"sda", "sdaa"}),
        ("^sd.$", {"sda", "sdb", "sdh", "sdi"}),
        ("nvme0n1", {"nvme0n1", "nvme0n10"}),
        ("/dev/sdb", set()),
        ("", set(DISKS)),
    ],
)
def test_a_filter_is_searched_for_anywhere_in_the_name(pattern, found):
    assert {disk for disk in DISKS if patterns.search(pattern, disk)} == found


@pytest.mark.parametrize(
    "pattern",
    [
        "^sd(?!a)",
        "(?<=s)d",
        r"(s)\1",
        "(?P<disk>s)(?P=disk)",
        "(?>sd)",
        "sd++",
        "(a)?(?(1)b|c)",
        "sd[b-",
        "sd(",
        "x{1001}",
        "*",
    ],
)
def test_what_rooks_engine_refuses_is_refused(pattern):
    with pytest.raises(patterns.PatternError):
        patterns.check(pattern)


@pytest.mark.parametrize("pattern", ["(?P<disk>sd)", "(?i)SD", r"\pL+", "sd[[:alpha:]]", r"\Asd\z"])
def test_what_rooks_engine_takes_is_taken(pattern):
    patterns.check(pattern)


def test_the_reason_is_the_engines_own():
    with pytest.raises(patterns.PatternError, match=r"invalid perl operator: \(\?!"):
        patterns.check("^sd(?!a)")
