import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.model.manifest import nodes, scalars, tree


def values(text):
    reading = tree.read(text, "f.yaml")
    assert reading.problems == ()
    return [nodes.plain(document) for document in reading.documents]


def problems(text):
    return [str(problem) for problem in tree.read(text, "f.yaml").problems]


def test_nulls_are_absent_and_lists_are_tuples():
    assert values("a: null\nb: [1, ~]\nc:\n  d:\n") == [{"b": (1, None), "c": {}}]


def test_quoted_and_tagged_words_are_text():
    assert values("""{a: "1", b: '~', c: !!str 3, d: ! 4, e: !!int 5}""") == [
        {"a": "1", "b": "~", "c": "3", "d": "4", "e": 5}
    ]


def test_keys_are_text_whatever_they_look_like():
    assert values("on: 1\n3: 2\n~: 3\n") == [{"on": 1, "3": 2, "~": 3}]


def test_aliases_and_merges_are_followed():
    text = "a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\nd: {<<: [*a, {z: 4}]}\n"

    assert values(text) == [
        {
            "a": {"x": 1, "y": 2},
            "b": {"x": 1, "y": 2},
            "c": {"x": 1, "y": 3},
            "d": {"x": 1, "y": 2, "z": 4},
        }
    ]


def test_every_document_is_read_and_a_byte_order_mark_is_none_of_it():
    assert values("\ufeffa: 1\n---\nb: 2\n---\n") == [{"a": 1}, {"b": 2}, None]


def test_places_are_those_of_the_keys():
    (document,) = tree.read("a:\n  b:\n    - c: 1\n    - d: 2\n", "f").documents

    assert nodes.place(document, ("a",)) == (1, 1)
    assert nodes.place(document, ("a", "b", 1, "d")) == (4, 7)
    assert nodes.place(document, ("a", "b", 1)) == (4, 7)
    assert nodes.place(document, ("a", "b", 9, "x")) == (2, 3)
    assert nodes.place(document, ("z",)) == (1, 1)


NESTED = "[" * 65 + "]" * 65
LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join(['*' + old] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3: has the key 'a' a second time; the first is on line 1"),
        ("a:\n\tb: 1\n", "f.yaml:2: is indented with a tab, which YAML does not allow"),
        ("a: !secret x\n", "f.yaml:1: has the YAML tag !secret, which has no meaning here"),
        (
            "a: !!python/object:os.system x\n",
            "f.yaml:1: has the YAML tag !!python/object:os.system",
        ),
        ("a: !!set {x}\n", "f.yaml:1: has the YAML tag !!set"),
        ("a: *b\n", "f.yaml:1: refers to *b, which is not complete or does not exist before"),
        ("a: &a [*a]\n", "f.yaml:1: refers to *a"),
        ("? [x]\n: 1\n", "f.yaml:1: is a key that is not text"),
        ("a: {<<: 3}\n", "f.yaml:1: cannot be merged by <<"),
        ("x: 1\ny: \x07\n", "f.yaml:2: holds a character that YAML does not allow: U+0007"),
        ("x: \ud800\n", "f.yaml:1: holds a character that YAML does not allow: U+D800"),
        (NESTED, "f.yaml:1: is nested more than 64 levels deep"),
        (LAUGHS, "f.yaml:5: stands for more than 500000 values"),
        ("a: [1\nb: 2\n", "f.yaml:2: is not valid YAML:"),
        ('a: "x\nb: 2\n', "f.yaml:3: is not valid YAML: found unexpected end of stream"),
        ("a: b: c\n", "f.yaml:1: is not valid YAML: mapping values are not allowed"),
    ],
)
def test_bad_yaml_is_named_with_its_line(text, problem):
    (found,) = problems(text)

    assert found.startswith(problem)
    assert "; remedy: " in found


def test_all_repeated_keys_are_named():
    assert len(problems("a: 1\na: 2\na: 3\nb: {c: 1, c: 2}\n")) == 3


class Writer(yaml.SafeDumper):
    """PyYAML, but with quotes also around text that Kubernetes' tools take for something else."""


def quoted(writer: Writer, text: str) -> yaml.ScalarNode:
    style = None if isinstance(scalars.resolve(text), str) else '"'
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Writer.add_representer(str, quoted)


def test_text_that_looks_like_a_number_of_kubernetes_is_one() -> None:
    assert values("a: 0E0\nb: 1e3\nc: '0E0'\n") == [{"a": 0.0, "b": 1000.0, "c": "0E0"}]


@given(
    st.recursive(
        st.integers(-(10**9), 10**9) | st.booleans() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_what_yaml_writes_comes_back(value):
    def tupled(item):
        if isinstance(item, dict):
            return {key: tupled(inner) for key, inner in item.items()}
        return tuple(map(tupled, item)) if isinstance(item, list) else item

    assert values(yaml.dump(value, Dumper=Writer)) == [tupled(value)]
