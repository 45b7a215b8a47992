"""Whatever is given, it is read or refused with reasons; nothing else ever happens."""

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.model import manifest
from tests.fakes.manifests import HEAD, whole

FIELDS = ["mon", "storage", "nodes", "devices", "name", "count", "config", "zones"]
WORDS = [
    *(HEAD, "spec:", "  storage:\n", "    nodes:\n", "    - name: a\n", "  mon:", " count: 3\n"),
    *(
        "{",
        "}",
        "[",
        "]",
        "- ",
        ": ",
        "&a ",
        "*a",
        "<<: ",
        "!!str ",
        '"',
        "'",
        "|\n",
        "---\n",
        "\t",
    ),
    *("\n", "  ", "    devices: [{name: x}]\n", "null", "-1", ".inf", "1e999", "\ud800", "\x00"),
]
TEXTS = st.text() | st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=20).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=15,
)


def problems(read, value):
    """Give what was refused; any other exception than SpecError fails the test."""
    try:
        read(value, source="f")
    except manifest.SpecError as error:
        return error.problems or ("refused without a reason",)
    return ()


@settings(max_examples=300)
@given(TEXTS)
def test_any_text_is_read_or_refused(text):
    for problem in problems(manifest.parse_manifest, text):
        assert problem.message
        assert problem.remedy


@settings(max_examples=300)
@given(VALUES)
def test_any_spec_is_read_or_refused(spec):
    for problem in problems(manifest.parse_object, whole(spec)):
        assert problem.message
        assert problem.remedy
