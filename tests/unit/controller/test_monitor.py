"""Health checks beside the passes: what they ask, what they write, whom they wake (C43, C47)."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from orchestrator.controller.charge import Charge
from orchestrator.controller.intervals import Intervals
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.monitor import Monitor
from orchestrator.controller.tokens import Rights
from orchestrator.model.names import ClusterKey
from orchestrator.stores import StoreError
from tests.fakes.clusters import cluster, room
from tests.fakes.stores import world
from tests.waiting import eventually

KEY = ClusterKey("rook-ceph", "test")


@dataclass
class Statuses:
    status: dict = field(default_factory=lambda: {"phase": "Progressing", "message": "Mons"})
    written: int = 0

    def get(self, key):
        return self.status

    def change(self, key, change):
        self.status = change(self.status)
        self.written += 1


@dataclass
class Ceph:
    view: dict | None = None
    error: Exception | None = None
    asked: int = 0

    def health(self):
        self.asked += 1
        if self.error:
            raise self.error
        return self.view


def a_view(quorum=("a", "b", "c"), down=(), health="HEALTH_OK"):
    return {
        "fsid": "4775d533-ceb4-44b1-bd6d-0ebf5e7f5f33",
        "quorum_names": list(quorum),
        "mons": [
            {"name": name, "rank": rank, "addrs": [f"[v2:10.0.0.{rank}:3300]"]}
            for rank, name in enumerate("abc")
        ],
        "osds": [{"id": id_, "uuid": f"{id_}", "up": id_ not in down} for id_ in range(3)],
        "status": {"health": {"status": health, "checks": {}}},
    }


@pytest.fixture
def ceph():
    return Ceph(a_view())


@pytest.fixture
def statuses():
    return Statuses()


@pytest.fixture
def woken():
    return []


@pytest.fixture
def clock():
    return SimpleNamespace(now=1000.0)


@pytest.fixture
def monitor(ceph, statuses, woken, clock):
    charge = Charge(
        source=SimpleNamespace(key=KEY, uid="u1", latest={}),
        statuses=statuses,
        world=world(cluster(), room()),
        rights=Rights(),
        health=ceph.health,
    )
    return Monitor(
        charge=charge,
        intervals=lambda: Intervals(status=60.0, mon=45.0, osd=60.0),
        wake=woken.append,
        unwatched=lambda: False,
        metrics=Metrics(),
        clock=lambda: clock.now,
    )


def test_it_asks_at_once_and_one_question_answers_for_all(monitor, ceph, statuses):
    assert monitor.check() == 45.0
    assert ceph.asked == 1
    assert statuses.status["ceph"]["health"] == "HEALTH_OK"


def test_each_check_has_its_own_time(monitor, ceph, statuses, clock):
    monitor.intervals = lambda: Intervals(status=60.0, mon=20.0, osd=None)
    assert monitor.check() == 20.0
    clock.now += 19
    assert monitor.check() == 1.0
    assert ceph.asked == 1

    clock.now += 1
    assert monitor.check() == 20.0
    clock.now += 20
    assert monitor.check() == 20.0
    assert (ceph.asked, statuses.written) == (3, 1)

    clock.now += 20
    assert monitor.check() == 20.0
    assert (ceph.asked, statuses.written) == (4, 2)


def test_what_is_due_soon_is_answered_by_a_question_that_is_due_now(monitor, ceph, statuses, clock):
    monitor.check()
    clock.now += 45

    assert monitor.check() == 45.0
    assert (ceph.asked, statuses.written) == (2, 2)


def test_phase_and_message_are_none_of_its_business(monitor, statuses):
    monitor.check()

    assert statuses.status["phase"] == "Progressing"
    assert statuses.status["message"] == "Mons"
    assert [one["type"] for one in statuses.status["conditions"]] == ["Healthy"]


@pytest.mark.parametrize("error", [StoreError("no Secret"), OSError("timed out"), ValueError("x")])
def test_no_answer_is_told_as_rook_tells_it_and_the_rest_is_kept(
    monitor, ceph, statuses, error, clock
):
    monitor.check()
    ceph.error = error
    clock.now += 60
    monitor.check()

    found = statuses.status["ceph"]
    assert found["health"] == "HEALTH_ERR"
    assert found["previousHealth"] == "HEALTH_OK"
    assert found["details"] == {"error": {"severity": "Urgent", "message": str(error)}}
    assert found["fsid"] == "4775d533-ceb4-44b1-bd6d-0ebf5e7f5f33"

    ceph.error = None
    clock.now += 60
    monitor.check()
    assert statuses.status["ceph"]["details"] == {}
    assert statuses.status["ceph"]["previousHealth"] == "HEALTH_ERR"


def test_before_there_is_a_cluster_nothing_is_written(monitor, ceph, statuses, woken):
    ceph.view = None
    monitor.check()

    assert (statuses.written, woken) == (0, [])


def test_a_mon_out_of_quorum_wakes_a_pass_with_each_check(monitor, ceph, woken, clock):
    ceph.view = a_view(quorum=("a", "c"))
    monitor.check()
    clock.now += 45
    monitor.check()

    assert woken == [KEY, KEY]


def test_mons_that_are_to_be_left_alone_are(monitor, ceph, woken):
    ceph.view = a_view(quorum=("a", "c"))
    monitor.unwatched = lambda: True
    monitor.check()

    assert woken == []


def test_an_osd_wakes_a_pass_when_it_goes_down_and_when_it_comes_back(monitor, ceph, woken, clock):
    monitor.check()
    for down in ((1,), (1,), ()):
        ceph.view = a_view(down=down)
        clock.now += 60
        monitor.check()

    assert woken == [KEY, KEY]


def test_data_that_gets_whole_wakes_a_pass(monitor, ceph, woken, clock):
    for state in ("active+clean", "active+undersized+degraded", "active+clean"):
        pgmap = {"num_pgs": 1, "pgs_by_state": [{"state_name": state, "count": 1}]}
        ceph.view = {**a_view(), "status": {**a_view()["status"], "pgmap": pgmap}}
        monitor.check()
        clock.now += 60

    assert woken == [KEY, KEY]


def test_an_osd_that_ceph_can_do_without_wakes_a_pass(monitor, ceph, woken, clock):
    for spare in ([], [1], [1]):
        ceph.view = {**a_view(down=(1,)), "safe_to_destroy": spare}
        monitor.check()
        clock.now += 60

    assert woken == [KEY, KEY]


def test_checks_that_are_off_are_not_made(monitor, ceph):
    monitor.intervals = lambda: Intervals(status=None, mon=None, osd=None)

    assert monitor.check() == 60.0
    assert ceph.asked == 0


def test_an_answer_that_is_not_understood_is_no_answer(monitor, ceph, statuses):
    ceph.view = {"fsid": 7}
    monitor.check()

    assert statuses.status["ceph"]["details"]["error"]["message"] == (
        "the mons' answer is not understood"
    )


def test_once_the_cluster_is_gone_nothing_is_written(monitor, statuses):
    monitor.charge.stop("gone")
    monitor.check()

    assert statuses.written == 0


def test_a_thousand_checks_leave_a_status_of_the_same_size(monitor, ceph, statuses, clock):
    sizes = []
    for number in range(1000):
        ceph.view = a_view(health=("HEALTH_OK", "HEALTH_WARN")[number % 2])
        clock.now += 60
        monitor.check()
        sizes.append(len(str(statuses.status)))

    assert sizes[999] == sizes[3]
    assert len(statuses.status["conditions"]) == 1


def test_the_loop_outlives_an_odd_answer_and_ends_with_its_charge(monitor, ceph, statuses, clock):
    ceph.error = RuntimeError("a bug")
    monitor.start()
    eventually(lambda: ceph.asked)
    assert monitor.alive
    monitor.charge.stop("gone")
    monitor._thread.join(10)

    assert not monitor.alive
