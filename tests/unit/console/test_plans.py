"""A plan as people read it."""

from orchestrator.console.plans import plan_text, reason_text
from orchestrator.model.names import ClusterKey
from orchestrator.model.plan import Action, Change, MgrStep, MonStep, Plan, Reason
from tests.fakes.facts import MONS, OURS

KEY = ClusterKey("rook-ceph", "test")
BASE = {"fsid": OURS, "mons": MONS, "admin_host": "store-a", "targets": ()}
MON = MonStep(
    changes=(
        Change(action=Action.START, subject="mon.a", host="store-a", reason="it is failed"),
        Change(action=Action.REPAIR, subject="/etc/ceph/ceph.conf", host="b", reason="old"),
    ),
    new_cluster=False,
    **BASE,
)
MGR = MgrStep(
    changes=(Change(action=Action.ENABLE, subject="mgr module x", reason="as asked"),),
    modules=(),
    **BASE,
)
SILENT = Reason(code="HostUnreachable", host="store-c", message="timed out")
HELP = "docs/troubleshooting.md"
NOTE = Reason(code="MonSurplus", message="3 mons exist")


def test_changes_stand_in_columns_under_their_runs():
    assert plan_text(KEY, Plan(steps=(MON, MGR), blocked=(SILENT,), notices=(NOTE,))) == (
        "rook-ceph/test: 3 changes in 2 runs\n"
        "\n"
        "run 1: mon\n"
        "  start    mon.a                store-a  it is failed\n"
        "  repair   /etc/ceph/ceph.conf  b        old\n"
        "\n"
        "run 2: mgr\n"
        "  enable   mgr module x                  as asked\n"
        "\n"
        "blocked: HostUnreachable: store-c: timed out\n"
        "\n"
        "note: MonSurplus: 3 mons exist\n"
        "\n"
        f"help: {HELP}#hostunreachable\n"
        f"help: {HELP}#monsurplus"
    )


def test_one_is_one():
    assert plan_text(KEY, Plan(steps=(MGR,))).startswith("rook-ceph/test: 1 change in 1 run\n")


def test_nothing_to_do_is_one_line():
    assert plan_text(KEY, Plan()) == "rook-ceph/test: nothing to do"


def test_a_blocked_plan_says_that_nothing_can_be_done():
    assert plan_text(KEY, Plan(blocked=(SILENT,))) == (
        "rook-ceph/test: nothing can be done now\n\n"
        "blocked: HostUnreachable: store-c: timed out\n\n"
        f"help: {HELP}#hostunreachable"
    )


def test_a_reason_has_its_code_first():
    assert reason_text(NOTE) == "MonSurplus: 3 mons exist"
