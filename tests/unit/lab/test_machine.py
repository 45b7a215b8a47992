"""The machine's limits."""

import pytest

from lab import machine
from lab.proc import LabError


@pytest.mark.parametrize(("before", "after"), [("128\n", "4096\n"), ("9999\n", "9999\n")])
def test_a_limit_is_raised_and_never_lowered(tmp_path, before, after):
    setting = tmp_path / "max_user_instances"
    setting.write_text(before)

    machine.allow_hosts({setting: 4096})

    assert setting.read_text() == after


def test_many_labs_may_have_osds_side_by_side():
    """The kernel's own limit of 65,536 requests is for twenty at most."""
    assert machine.ENOUGH[machine.AIO] == 1_048_576


def test_a_limit_that_stays_too_low_is_named(tmp_path, monkeypatch):
    setting = tmp_path / "max_user_instances"
    setting.write_text("128\n")

    def refuse(*_words):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(type(setting), "write_text", refuse)

    with pytest.raises(LabError, match=r"max_user_instances is too low.*not permitted"):
        machine.allow_hosts({setting: 4096})
