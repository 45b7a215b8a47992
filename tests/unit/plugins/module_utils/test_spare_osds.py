"""Which OSDs Ceph can do without, by its own word."""

import errno
import json
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import spare_osds
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

MGRS = {"available": True}


def osd(number: int, *, up: int = 0, in_: int = 0, state: tuple[str, ...] = ("exists",)):
    return {"osd": number, "up": up, "in": in_, "state": list(state)}


DUMP = {
    "osds": [
        osd(0, up=1, in_=1, state=("exists", "up")),
        osd(1, in_=1),
        osd(2),
        osd(3, state=("exists", "new")),
        osd(4),
    ]
}


class Mgr:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[list[str]] = []

    def command(self, prefix: str, *, target: str, ids: list[str]) -> Any:
        assert (prefix, target) == ("osd safe-to-destroy", "mgr")
        self.asked.append(ids)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def safe(*osds: int, **more: Any) -> dict[str, Any]:
    return {"safe_to_destroy": list(osds), "active": [], "missing_stats": [], **more}


def refused(output: object) -> CephError:
    return CephError(errno.EBUSY, "OSD(s) 4 have 12 pgs", json.dumps(output))


def test_those_that_are_down_and_out_are_asked_about_together() -> None:
    mgr = Mgr(safe(2, 4))
    assert spare_osds.ask(mgr, DUMP, MGRS) == [2, 4]  # type: ignore[arg-type]
    assert mgr.asked == [["2", "4"]]


def test_one_that_never_came_up_is_no_spare() -> None:
    assert spare_osds.candidates(DUMP) == [2, 4]


def test_one_that_is_needed_does_not_hide_the_others() -> None:
    mgr = Mgr(refused(safe(2, active=[4])))
    assert spare_osds.ask(mgr, DUMP, MGRS) == [2]  # type: ignore[arg-type]


def test_others_than_were_asked_about_do_not_count() -> None:
    assert spare_osds.ask(Mgr(safe(0, 2)), DUMP, MGRS) == [2]  # type: ignore[arg-type]


def test_without_candidates_nobody_is_asked() -> None:
    mgr = Mgr(RuntimeError("asked"))
    dump = {"osds": DUMP["osds"][:2]}
    assert spare_osds.ask(mgr, dump, None) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [refused("no"), "odd", {}, safe("2"), {"safe_to_destroy": "2"}])
def test_an_odd_answer_makes_no_spare(answer: Any) -> None:
    assert not spare_osds.ask(Mgr(answer), DUMP, MGRS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dump", "mgrs", "answer"),
    [
        (None, MGRS, safe(2)),
        (DUMP, None, safe(2)),
        (DUMP, {"available": False}, safe(2)),
        (DUMP, MGRS, CephError(errno.EAGAIN, "68 pgs have unknown state")),
    ],
)
def test_where_nobody_can_tell_it_is_not_known(dump: Any, mgrs: Any, answer: Any) -> None:
    assert spare_osds.ask(Mgr(answer), dump, mgrs) is None  # type: ignore[arg-type]
