"""When running OSDs may be stopped (CASES C37, C39)."""

import json

import pytest

from orchestrator.planning import safety
from orchestrator.planning.safety import Answer, Queue
from tests.fakes import facts


def pgmap(total, **states):
    listed = [{"state_name": name, "count": count} for name, count in states.items()]
    return {"num_pgs": total, "pgs_by_state": listed}


DIRTY = pgmap(641, **{"active+clean": 640, "active+recovering+undersized+degraded+remapped": 1})
C39 = [
    (pgmap(641, **{"active+clean": 641}), True),
    (
        pgmap(
            641,
            **{
                "active+clean": 600,
                "active+clean+scrubbing+deep": 40,
                "active+clean+snaptrim_wait": 1,
            },
        ),
        True,
    ),
    (DIRTY, False),
    (pgmap(249, **{"active+clean": 246, "unknown": 3}), False),
    (pgmap(200, **{"active+clean": 99, "stale+active+clean": 101}), False),
    (pgmap(641, **{"active+clean": 640}), False),
    ({"num_pgs": 0, "pgs_by_state": []}, True),
    ({"num_pgs": 5}, False),
    ({}, False),
    ({"num_pgs": "many", "pgs_by_state": None}, False),
    ({"num_pgs": 1, "pgs_by_state": ["odd", {"count": "1"}]}, False),
]


@pytest.mark.parametrize(("found", "expected"), C39)
def test_c39_which_states_are_clean(found, expected):
    assert safety.clean(found) is expected


def test_c39_a_pattern_of_the_manifest_replaces_the_default():
    found = pgmap(2, **{"active+clean": 1, "active+undersized": 1})

    assert safety.clean(found, "^active")
    assert not safety.clean(pgmap(1, **{"active+clean": 1}), "^active$")


@pytest.mark.parametrize(
    ("settings", "waits"),
    [
        ({}, True),
        ({"skipUpgradeChecks": True}, False),
        ({"continueUpgradeAfterChecksEvenIfNotHealthy": True}, False),
        ({"upgradeOSDRequiresHealthyPGs": True}, True),
        (
            {
                "upgradeOSDRequiresHealthyPGs": True,
                "continueUpgradeAfterChecksEvenIfNotHealthy": True,
            },
            True,
        ),
        ({"upgradeOSDRequiresHealthyPGs": True, "skipUpgradeChecks": True}, False),
        ({"disruptionManagement": {"pgHealthyRegex": "^active"}}, False),
    ],
)
def test_c39_the_manifests_settings_open_the_gate(settings, waits):
    assert bool(safety.restarts_wait(facts.spec(**settings), DIRTY)) is waits


def test_c39_the_reason_names_the_states():
    assert safety.restarts_wait(facts.spec(), DIRTY) == (
        "placement groups are not clean (640 active+clean, "
        "1 active+recovering+undersized+degraded+remapped, of 641)"
    )
    assert safety.restarts_wait(facts.spec(), {}) == (
        "placement groups are not clean (Ceph did not tell their states)"
    )


REFUSAL = json.dumps(
    {
        "ok_to_stop": False,
        "osds": [27],
        "num_ok_pgs": 161,
        "num_not_ok_pgs": 1,
        "bad_become_inactive": ["11.3"],
    }
)


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (0, '{"ok_to_stop": true, "osds": [27, 28]}', Answer(ok=True, osds=(27, 28))),
        (16, REFUSAL, Answer(ok=False, reason="pg 11.3 would become inactive")),
        (0, REFUSAL, Answer(ok=False, reason="pg 11.3 would become inactive")),
        (
            16,
            '{"ok_to_stop": true, "osds": [27]}',
            Answer(ok=False, reason="Ceph says that it is not ok to stop"),
        ),
        (
            0,
            '{"ok_to_stop": true, "osds": [28]}',
            Answer(ok=False, reason="Ceph says that it is not ok to stop"),
        ),
        (0, "OSD(s) 27 are ok", Answer(ok=False, reason=safety.NOT_UNDERSTOOD)),
        (0, "[27]", Answer(ok=False, reason=safety.NOT_UNDERSTOOD)),
        (0, "", Answer(ok=False, reason=safety.NOT_UNDERSTOOD)),
    ],
)
def test_c37_what_ceph_answers(code, output, expected):
    assert safety.answer(27, code, output) == expected


NO = Answer(ok=False, reason="pg 11.3 would become inactive")


def yes(*osds):
    return Answer(ok=True, osds=osds)


def served(queue, answers, **how):
    """Every batch until the queue is empty or a round ends with nobody."""
    batches = []
    while True:
        found = safety.next_batch(queue, answers, **how)
        if not found.osds:
            return batches, found
        batches.append(found.osds)
        queue = safety.finished(found.queue, found.osds)


def test_c37a_one_that_may_not_stop_goes_to_the_back_and_the_others_on():
    answers = {27: NO, 26: yes(26), 28: yes(28)}

    batches, last = served(Queue(waiting=(27, 26, 28)), answers)

    assert batches == [(26,), (28,)]
    assert last.queue.progress == "2 of 3"
    assert last.reasons == ("osd.27: pg 11.3 would become inactive",)
    assert last.ask is None


def test_c37b_when_all_may_not_stop_none_is_stopped_and_the_round_ends():
    batches, last = served(Queue(waiting=(26, 27, 28)), dict.fromkeys((26, 27, 28), NO))

    assert batches == []
    assert last.queue.progress == "0 of 3"
    assert len(last.reasons) == 3


def test_c37c_an_answer_that_is_not_understood_is_a_no():
    answers = {26: safety.answer(26, 0, "ok"), 27: yes(27)}

    assert safety.next_batch(Queue(waiting=(26, 27)), answers).osds == (27,)


def test_c37_the_first_without_an_answer_is_asked():
    found = safety.next_batch(Queue(waiting=(26, 27)), {26: NO})

    assert (found.ask, found.osds) == (27, ())
    assert found.queue.waiting == (27, 26)


def test_c37_going_on_regardless_takes_the_asked_one_alone():
    assert safety.next_batch(Queue(waiting=(27, 26)), {27: NO}, regardless=True).osds == (27,)


def test_c37_never_more_than_was_asked_for_and_never_others():
    queue = Queue(waiting=(1, 2, 3, 4))
    answers = {1: yes(1, 3, 4, 9)}

    assert safety.next_batch(queue, answers).osds == (1, 3, 4)
    assert safety.next_batch(queue, answers, most=2).osds == (1, 3)
