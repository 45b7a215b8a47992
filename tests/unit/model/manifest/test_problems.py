import pytest

from orchestrator.model.manifest import problems
from orchestrator.model.manifest.problems import Finding, Problem, SpecError


def test_a_problem_names_file_line_path_value_and_remedy():
    finding = Finding(("spec", "mon", "count"), "must be at least 0", "use 0 or more", -1)
    problem = problems.problem(finding, source="examples/cluster.yaml", line=17, column=5)

    assert str(problem) == (
        "examples/cluster.yaml:17: spec.mon.count: -1: must be at least 0; remedy: use 0 or more"
    )


def test_without_a_line_the_source_stands_alone():
    assert str(Problem(source="ns/name", message="is wrong")) == "ns/name: is wrong"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("spec", "storage", "nodes", 0, "name"), "spec.storage.nodes[0].name"),
        (("spec", "cephConfig", "osd.3", "x"), 'spec.cephConfig["osd.3"].x'),
        (("spec", "cephConfig", "*"), "spec.cephConfig.*"),
        ((), ""),
    ],
)
def test_paths_are_written_as_people_write_them(path, text):
    assert problems.path_text(path) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("sd[b-", '"sd[b-"'),
        (True, "true"),
        ("a\nb\x1b[0m\x9b", '"a\\nb\\u001b[0m\\u009b"'),
        ("é", '"é"'),
        (({"name": "a"},), '[{"name": "a"}]'),
        ("x" * 100, '"' + "x" * 59 + "…"),
        (problems.ABSENT, ""),
    ],
)
def test_values_are_shown_on_one_line(value, text):
    assert problems.value_text(value) == text


def test_what_may_be_a_secret_is_not_shown():
    finding = Finding(("spec", "security", "kms", "connectionDetails", "token"), "is wrong", "", 7)

    assert problems.problem(finding, source="f").value == ""


def test_an_error_lists_its_problems_by_line():
    error = SpecError(
        [Problem(source="f", line=9, message="b"), Problem(source="f", line=2, message="a")]
    )

    assert str(error) == "f:2: a\nf:9: b"
    assert [problem.line for problem in error.problems] == [2, 9]
