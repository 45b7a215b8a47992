import os
import time

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child


def _act(item: str) -> str:
    if item == "hang":
        time.sleep(60)
    if item == "raise":
        raise OSError(5, "Input/output error")
    if item == "die":
        os._exit(9)
    return item.upper()


def test_each_gives_every_result_in_one_child() -> None:
    pids = child.each("abc", lambda _item: str(os.getpid()), 2.0)
    assert len(set(pids.values())) == 1
    assert str(os.getpid()) not in pids.values()


def test_each_goes_on_after_one_that_hangs_dies_or_raises() -> None:
    results = child.each(["a", "hang", "raise", "die", "b"], _act, 0.5)
    assert (results["a"], results["b"]) == ("A", "B")
    assert isinstance(results["hang"], TimeoutError)
    assert isinstance(results["raise"], OSError)
    assert isinstance(results["die"], child.ChildGoneError)


def test_several_hanging_items_cost_little_more_than_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = time.monotonic()
    monkeypatch.setattr(child, "_SLOW_SECONDS", 0.02)
    results = child.each([f"hang{n}" for n in range(8)], lambda _item: time.sleep(60), 0.5)
    assert all(isinstance(result, TimeoutError) for result in results.values())
    assert time.monotonic() - started < 8 * 0.5 / 2


def test_no_item_starts_no_child() -> None:
    assert child.each([], _act, 1.0) == {}


def test_call_raises_what_the_function_raised() -> None:
    with pytest.raises(OSError, match="Input/output error"):
        child.call(lambda: _act("raise"), 1.0)
    with pytest.raises(TimeoutError):
        child.call(lambda: _act("hang"), 0.2)


def test_a_child_does_not_write_to_the_parents_streams(capfd: pytest.CaptureFixture[str]) -> None:
    child.call(lambda: os.write(1, b"noise"), 1.0)
    assert capfd.readouterr().out == ""


def test_output_decodes_any_bytes_and_ends_a_hanging_command() -> None:
    code, out, errors = child.output(["printf", r"a\377b"], 2.0)
    assert (code, out, errors) == (0, r"a\xffb", "")
    with pytest.raises(TimeoutError):
        child.output(["sleep", "60"], 0.2)


def test_large_values_pass_the_channel() -> None:
    assert len(child.call(lambda: "x" * 5_000_000, 5.0)) == 5_000_000
