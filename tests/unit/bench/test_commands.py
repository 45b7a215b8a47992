"""Programs of the bench: what they say, how long they take, and how a failure reads."""

import sys

import pytest

from bench import commands
from lab.proc import LabError


def python(text):
    return [sys.executable, "-c", text]


def test_both_outputs_and_what_is_added_to_the_environment():
    text = (
        "import os, sys; print(os.environ['WHO'], file=sys.stderr); print(bool(os.environ['PATH']))"
    )

    said = commands.run(python(text), environment={"WHO": "bench"}, timeout=60)

    assert sorted(said.splitlines()) == ["True", "bench"]


def test_a_failure_is_told_with_its_command_and_the_end_of_its_words():
    with pytest.raises(LabError, match=r"-c .*sys.exit.* failed \(3\):\nno such host\n$"):
        commands.timed(python("import sys; print('no such host'); sys.exit(3)"), timeout=60)


def test_the_time_is_that_of_the_program():
    assert 0.2 < commands.timed(python("import time; time.sleep(0.2)"), timeout=60) < 60
