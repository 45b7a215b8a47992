"""When running OSDs may be stopped (CASES C37, C39)."""

import pytest

from orchestrator.model.facts import StopAnswer
from orchestrator.planning import safety
from orchestrator.planning.safety import Batch, Consent
from tests.fakes import facts


def pgmap(total, **states):
    listed = [{"state_name": name, "count": count} for name, count in states.items()]
    return {"num_pgs": total, "pgs_by_state": listed}


DIRTY = pgmap(641, **{"active+clean": 640, "active+recovering+undersized+degraded+remapped": 1})
CLEAN = pgmap(641, **{"active+clean": 641})
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
        ({}, False),
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
        (
            {
                "upgradeOSDRequiresHealthyPGs": True,
                "disruptionManagement": {"pgHealthyRegex": "^active"},
            },
            False,
        ),
    ],
)
def test_c39_the_manifests_settings_open_the_gate(settings, waits):
    assert bool(safety.restarts_wait(facts.spec(**settings), DIRTY)) is waits
    assert safety.restarts_wait(facts.spec(**settings), CLEAN) == ""


def test_c39_the_reason_names_the_states():
    spec = facts.spec(upgradeOSDRequiresHealthyPGs=True)

    assert safety.restarts_wait(spec, DIRTY) == (
        "placement groups are not clean (640 active+clean, "
        "1 active+recovering+undersized+degraded+remapped, of 641)"
    )
    assert safety.restarts_wait(spec, {}) == (
        "placement groups are not clean (Ceph did not tell their states)"
    )


WHY = "pg 11.3 would become inactive"
ASK = Consent(most=20)


def no(osd):
    return StopAnswer(osd=osd, ok=False, reason=WHY)


def yes(osd, *others):
    return StopAnswer(osd=osd, ok=True, osds=(osd, *others))


def test_c37_ceph_is_asked_before_any_osd_stops():
    for answers in (None, (), (yes(99),)):
        assert safety.next_batch((26, 27), answers, ASK) == Batch(asks=True)


def test_c37a_one_that_may_not_stop_keeps_nobody_waiting():
    found = safety.next_batch((27, 26, 28), (no(27), yes(26)), ASK)

    assert found == Batch(osds=(26,), consented=True, refused={27: WHY})


def test_c37a_whoever_was_refused_goes_to_the_back_of_the_queue():
    assert safety.asking_order((26, 27, 28), (no(26), yes(27))) == [27, 28, 26]
    assert safety.asking_order((26, 27), None) == [26, 27]


def test_c37b_when_all_may_not_stop_none_is_stopped():
    found = safety.next_batch((26, 27, 28), [no(osd) for osd in (26, 27, 28)], ASK)

    assert (found.osds, found.asks) == ((), False)
    assert found.refused == dict.fromkeys((26, 27, 28), WHY)


def test_c37_going_on_regardless_takes_the_asked_one_alone_and_says_so():
    regardless = Consent(patience=600, most=20)

    assert safety.next_batch((27, 26), (no(27), no(26)), regardless, 600) == Batch(
        osds=(27,), consented=False, refused={27: WHY, 26: WHY}
    )
    assert safety.next_batch((27, 26), (no(27), yes(26)), regardless, 600).osds == (26,)


def test_going_on_regardless_comes_after_the_time_that_the_manifest_gives_ceph():
    answers = (no(27), no(26))

    assert safety.next_batch((27, 26), answers, Consent(patience=600), 599).osds == ()
    assert safety.next_batch((27, 26), answers, Consent(patience=None), 1e9).osds == ()


def test_c37_never_more_than_was_asked_for_and_never_others():
    answers = (yes(1, 3, 4, 9),)

    assert safety.next_batch((1, 2, 3, 4), answers, ASK).osds == (1, 3, 4)
    assert safety.next_batch((1, 2, 3, 4), answers, Consent(most=2)).osds == (1, 3)


def test_without_checks_one_after_the_other_is_restarted_and_nobody_asked():
    assert safety.next_batch((1, 2), None, Consent(asked=False)) == Batch(osds=(1,))
    assert safety.next_batch((), None, ASK) == Batch()


@pytest.mark.parametrize(
    ("settings", "osds", "expected"),
    [
        ({}, 3, Consent(most=20)),
        ({}, 2, Consent(asked=False, most=20)),
        ({}, None, Consent(most=20)),
        ({"skipUpgradeChecks": True}, 9, Consent(asked=False, most=20)),
        (
            {"continueUpgradeAfterChecksEvenIfNotHealthy": True},
            9,
            Consent(patience=600, most=20),
        ),
        (
            {
                "continueUpgradeAfterChecksEvenIfNotHealthy": True,
                "waitTimeoutForHealthyOSDInMinutes": 2,
            },
            9,
            Consent(patience=120, most=20),
        ),
        ({"waitTimeoutForHealthyOSDInMinutes": 2}, 9, Consent(most=20)),
        ({"storage": {"useAllNodes": True, "osdMaxUpdatesInParallel": 3}}, 9, Consent(most=3)),
    ],
)
def test_what_the_manifest_wants_asked(settings, osds, expected):
    assert safety.consent(facts.spec(**settings), osds) == expected
