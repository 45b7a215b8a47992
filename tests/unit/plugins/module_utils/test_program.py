from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import program
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="


def test_output_comes_back() -> None:
    assert program.run(["sh", "-c", "echo $GREETING"], 5, {"GREETING": "hello"}) == "hello\n"


def test_a_failure_ends_with_the_program_s_last_words_and_no_key() -> None:
    script = f"for i in $(seq 20); do echo line $i >&2; done; echo {KEY} >&2; exit 3"
    with pytest.raises(program.ProgramError) as caught:
        program.run(["sh", "-c", script], 5)
    text = str(caught.value)
    assert "rc 3" in text
    assert "line 20" in text
    assert "line 3\n" not in text.partition("rc 3")[2]
    assert "SYNTHETIC" not in text.partition("rc 3")[2]


def test_it_does_not_wait_for_ever() -> None:
    with pytest.raises(HostError, match="not finished"):
        program.run(["sleep", "10"], 0.1)


def test_all_missing_programs_are_named_with_their_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_PATH", str(tmp_path))
    with pytest.raises(HostError) as caught:
        program.require(["ceph-mon", "monmaptool", "ceph-authtool"])
    assert "ceph-mon, monmaptool, ceph-authtool not found" in str(caught.value)
    assert "install ceph-base, ceph-common, ceph-mon" in str(caught.value)
