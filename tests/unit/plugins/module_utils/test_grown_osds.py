"""Which OSDs are larger than their weight says."""

import errno
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import grown_osds
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

TIB = 1024**3


class Mgr:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def command(self, prefix: str, *, target: str) -> Any:
        assert (prefix, target) == ("osd df", "mgr")
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def ask(answer: Any, mgrs: Any = None) -> Any:
    asked = {"available": True} if mgrs is None else mgrs
    return grown_osds.ask(Mgr(answer), asked)  # type: ignore[arg-type]


def node(osd: Any, kib: Any, weight: Any) -> dict[str, Any]:
    return {"id": osd, "kb": kib, "crush_weight": weight}


@pytest.mark.parametrize(
    ("size", "weight", "grown"),
    [
        (2 * TIB, 1.0, True),
        (2 * TIB, 1.95, True),
        (2 * TIB, 1.99, False),
        (2 * TIB, 2.5, False),
        (2 * TIB, 0.0, False),
        (0, 1.0, False),
    ],
)
def test_more_than_one_part_in_a_hundred_counts(size: int, weight: float, grown: bool) -> None:  # noqa: FBT001
    expected = [{"id": 3, "weight": weight, "size": 2.0}] if grown else []
    assert ask({"nodes": [node(3, size, weight)]}) == expected


def test_what_is_odd_costs_its_own_osd_alone() -> None:
    nodes = ["odd", {}, node("x", TIB, 0.5), node(1, "x", 0.5), node(2, TIB, None)]
    assert ask({"nodes": [*nodes, node(0, TIB, 0.5)]}) == [{"id": 0, "weight": 0.5, "size": 1.0}]


@pytest.mark.parametrize("answer", [CephError(errno.EACCES, "no"), "odd", {}, {"nodes": "odd"}])
def test_what_is_no_answer_is_unknown(answer: Any) -> None:
    assert ask(answer) is None


@pytest.mark.parametrize("mgrs", [{"available": False}, {}, "odd"])
def test_without_a_mgr_nobody_is_asked(mgrs: Any) -> None:
    assert ask(RuntimeError("asked"), mgrs) is None
