"""Failures of other programs as a person reads them."""

import pytest

from lab import proc
from lab.proc import LabError


def test_output_is_returned():
    assert proc.run(["echo", "hello"]) == "hello\n"


def test_a_failure_carries_the_programs_own_words():
    with pytest.raises(LabError, match=r"sh -c 'echo oh >&2; exit 3' failed \(3\): oh"):
        proc.run(["sh", "-c", "echo oh >&2; exit 3"])


def test_a_missing_program_comes_with_the_remedy():
    with pytest.raises(LabError, match="no-such-program is not installed; `make packages`"):
        proc.run(["no-such-program"])


def test_waiting_ends():
    with pytest.raises(LabError, match=r"did not end within 0\.1 s"):
        proc.run(["sleep", "5"], timeout=0.1)
