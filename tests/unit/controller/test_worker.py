"""From keys to passes: side by side, once at a time for each cluster, and whatever they raise."""

import threading
from types import SimpleNamespace

import pytest

from orchestrator.controller.metrics import Metrics
from orchestrator.controller.queue import Backoff, WorkQueue
from orchestrator.controller.tokens import CanceledError, Rights
from orchestrator.controller.verdict import Ending, Verdict
from orchestrator.controller.worker import Turns, Worker
from orchestrator.model.names import ClusterKey
from orchestrator.stores import StoreError
from tests.waiting import eventually

A, B = ClusterKey("ns", "a"), ClusterKey("ns", "b")
SECONDS = 20


def a_worker(make_pass, **more):
    charges = {key: SimpleNamespace(key=key, rights=Rights()) for key in (A, B)}
    return Worker(
        queue=WorkQueue(),
        make_pass=make_pass,
        metrics=Metrics(),
        **{"charge_of": charges.get, "backoff": Backoff(first=0.01, ceiling=0.02), **more},
    )


def at_work(make_pass, *keys):
    """A worker that was started, with these keys in its queue."""
    worker = a_worker(make_pass)
    worker.start()
    for key in keys:
        worker.queue.add(key)
    return worker


def endings(worker, key):
    samples = next(iter(worker.metrics.passes.collect())).samples
    return {
        one.labels["result"]: one.value
        for one in samples
        if one.name.endswith("_total") and one.labels["name"] == key.name
    }


def test_a_pass_that_hangs_holds_up_no_other():
    go_on, other = threading.Event(), threading.Event()

    def make(charge, token):
        (other.set if charge.key == B else lambda: go_on.wait(SECONDS))()
        return Verdict(ending=Ending.CONVERGED)

    worker = at_work(make, A, B)

    assert other.wait(SECONDS)
    go_on.set()
    assert worker.stop()
    assert endings(worker, A) == {"converged": 1.0}


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (CanceledError("edited"), "canceled"),
        (StoreError("the API server is away"), "error"),
        (ZeroDivisionError("a bug"), "error"),
    ],
)
def test_whatever_a_pass_raises_the_worker_goes_on(error, ending):
    second = threading.Event()

    def make(charge, token):
        if charge.key == A and not second.is_set():
            raise error
        second.set()
        return Verdict(ending=Ending.CONVERGED)

    worker = at_work(make, A, B)

    assert second.wait(SECONDS)
    assert worker.alive
    assert worker.stop()
    assert endings(worker, A)[ending] >= 1.0


def test_what_failed_is_tried_again_and_what_was_cancelled_is_not():
    seen = []
    done = threading.Event()

    def make(charge, token):
        seen.append(charge.key)
        if charge.key == B:
            raise CanceledError("edited")
        if len([key for key in seen if key == A]) < 3:
            return Verdict(ending=Ending.FAILED, backoff=True)
        done.set()
        return Verdict(ending=Ending.CONVERGED)

    worker = at_work(make, B, A)

    assert done.wait(SECONDS)
    assert worker.stop()
    assert (seen.count(A), seen.count(B)) == (3, 1)


def test_two_managers_of_one_process_never_work_on_one_cluster_at_once():
    turns = Turns()
    began, go_on, passes = threading.Event(), threading.Event(), []

    def old(charge, token):
        began.set()
        go_on.wait(SECONDS)
        passes.append("old")
        return Verdict(ending=Ending.CONVERGED)

    def new(charge, token):
        passes.append("new")
        return Verdict(ending=Ending.CONVERGED)

    first, second = a_worker(old, turns=turns), a_worker(new, turns=turns)
    first.start()
    second.start()
    first.queue.add(A)
    assert began.wait(SECONDS)
    second.queue.add(A)
    assert eventually(lambda: endings(second, A), SECONDS) == {"blocked": 1.0}
    go_on.set()
    assert first.stop()
    both = {"blocked": 1.0, "converged": 1.0}
    eventually(lambda: endings(second, A), SECONDS, good=lambda found: found == both)
    assert second.stop()

    assert passes == ["old", "new"]


def test_a_key_that_nobody_is_in_charge_of_is_gone():
    key = ClusterKey("ns", "gone")
    worker = at_work(None, key)

    assert eventually(lambda: endings(worker, key), SECONDS) == {"gone": 1.0}
    assert worker.stop()


def test_one_that_went_in_mid_pass_leaves_no_metric_behind():
    """As when its finalizers were taken off by hand: `forget` comes before the pass has ended."""
    charges = {A: SimpleNamespace(key=A, rights=Rights())}

    def make(charge, token):
        charges.clear()
        worker.metrics.forget(A)
        raise CanceledError("the CephCluster is gone")

    worker = a_worker(make, charge_of=charges.get)
    worker.start()
    worker.queue.add(A)

    assert eventually(lambda: endings(worker, A), SECONDS) == {"canceled": 1.0}
    assert worker.stop()
    assert b"cluster_up_to_date{" not in worker.metrics.text()


def test_a_stop_that_comes_too_early_for_a_pass_says_so():
    go_on = threading.Event()
    began = threading.Event()

    def make(charge, token):
        began.set()
        go_on.wait(SECONDS)
        return Verdict(ending=Ending.CONVERGED)

    worker = at_work(make, A)
    assert began.wait(SECONDS)

    assert not worker.stop(0.01)
    go_on.set()
    assert worker.stop()
