"""What Ceph answers to ok-to-stop, and what is taken for a no (CASES C37)."""

import errno
import json
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import stoppable
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

REFUSAL = {
    "ok_to_stop": False,
    "osds": [27],
    "num_ok_pgs": 161,
    "num_not_ok_pgs": 1,
    "bad_become_inactive": ["11.3"],
}
UNSAFE = "unsafe to stop osd(s) at this time (1 PGs are or would become offline)"


class Mgr:
    """Answers for each asked OSD; an error is raised."""

    def __init__(self, answers: dict[int, Any]) -> None:
        self.answers = answers
        self.asked: list[dict[str, Any]] = []

    def command(self, prefix: str, **arguments: Any) -> Any:
        assert (prefix, arguments.pop("target")) == ("osd ok-to-stop", "mgr")
        self.asked.append(arguments)
        answer = self.answers[int(arguments["ids"][0])]
        if isinstance(answer, Exception):
            raise answer
        return answer


def refused(**more: Any) -> CephError:
    return CephError(errno.EBUSY, UNSAFE, json.dumps({**REFUSAL, **more}))


def asked(answer: Any, osd: int = 27) -> stoppable.Answer:
    return stoppable.ask(Mgr({osd: answer}), [osd])  # type: ignore[arg-type]


def test_a_yes_names_those_that_may_stop_together() -> None:
    found = asked({"ok_to_stop": True, "osds": [28, 27]})
    assert found == stoppable.Answer(27, ok=True, osds=(28, 27))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refused(), "pg 11.3 would become inactive"),
        (REFUSAL, "pg 11.3 would become inactive"),
        (
            refused(bad_become_inactive=[], bad_already_inactive=["2.1", "2.7"]),
            "pg 2.1, 2.7 already inactive",
        ),
        (refused(bad_become_inactive=[], unknown_pgs=["2.1"]), "pg 2.1 of unknown state"),
        (
            refused(bad_become_inactive=[f"3.{number}" for number in range(7)]),
            "pg 3.0, 3.1, 3.2, 3.3, 3.4 and 2 more would become inactive",
        ),
        (refused(bad_become_inactive="odd"), "Ceph says that it is not ok to stop"),
        ({"ok_to_stop": True, "osds": [28]}, "Ceph says that it is not ok to stop"),
        ({"ok_to_stop": True, "osds": 27}, "Ceph says that it is not ok to stop"),
        ({"ok_to_stop": "true", "osds": [27]}, "Ceph says that it is not ok to stop"),
        ("OSD(s) 27 are ok", "Ceph's answer to ok-to-stop is not understood"),
        ([27], "Ceph's answer to ok-to-stop is not understood"),
        ("", "Ceph's answer to ok-to-stop is not understood"),
        (CephError(errno.ETIMEDOUT, "no answer"), "no answer"),
        (CephError(errno.EBUSY, UNSAFE, "not JSON"), UNSAFE),
        (CephError(errno.EBUSY, UNSAFE, '{"ok_to_stop": true, "osds": [27]}'), None),
    ],
)
def test_c37_all_else_is_a_no_with_its_reason(answer: Any, reason: str | None) -> None:
    found = asked(answer)
    assert (found.ok, found.osds) == (False, ())
    assert found.reason == (reason or "Ceph says that it is not ok to stop")


def test_c37_one_after_the_other_is_asked_until_one_may_stop() -> None:
    mgr = Mgr({27: refused(), 26: {"ok_to_stop": True, "osds": [26]}, 28: AssertionError()})
    found = stoppable.first(mgr, [27, 26, 28], 20, 10.0)  # type: ignore[arg-type]
    assert [(one["osd"], one["ok"]) for one in found] == [(27, False), (26, True)]
    assert mgr.asked == [{"ids": ["27"], "max": 20}, {"ids": ["26"], "max": 20}]


def test_c37_asking_ends_when_the_time_is_up() -> None:
    mgr = Mgr({27: refused(), 26: AssertionError()})
    assert len(stoppable.first(mgr, [27, 26], 20, -1.0)) == 1  # type: ignore[arg-type]


def test_all_of_a_batch_are_asked_about_together() -> None:
    mgr = Mgr({26: {"ok_to_stop": True, "osds": [26]}})
    found = stoppable.ask(mgr, [26, 28])  # type: ignore[arg-type]
    assert not found.ok
    assert mgr.asked == [{"ids": ["26", "28"]}]
