"""Every point at which a preparation can be cut off, and what is to become of it."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import prepare_verdict
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.prepare_verdict import (
    Found,
    Known,
    Verdict,
)

OURS = "11111111-0000-4000-8000-000000000001"
RETRY = "11111111-0000-4000-8000-000000000002"
FOREIGN = "99999999-0000-4000-8000-000000000009"

NEW = {OURS: Known(4, new=True)}
STARTED = {OURS: Known(4, new=False)}
CUT = Found(uuid=OURS)
WHOLE = Found(uuid=OURS, finished=True)
BLANK = Found(blank=True)
OTHER = Found()


# Expected are the numbers to give back, whether to wipe, and whether to keep the record.
@pytest.mark.parametrize(
    ("uuids", "found", "known", "expected"),
    [
        # before `osd new`: nothing is anywhere
        ((), BLANK, {}, ((), False, False)),
        ((), OTHER, NEW, ((), False, False)),
        # announced, and Ceph never got it
        ((OURS,), BLANK, {}, ((), False, False)),
        # after `osd new`, before mkfs
        ((OURS,), BLANK, NEW, ((4,), False, False)),
        # in mkfs
        ((OURS,), CUT, NEW, ((4,), True, False)),
        # the number was given back, then the wipe was cut off
        ((OURS,), CUT, {}, ((), True, False)),
        # after mkfs
        ((OURS,), WHOLE, NEW, ((), False, False)),
        # started since
        ((OURS,), WHOLE, STARTED, ((), False, False)),
        ((OURS,), CUT, STARTED, ((), False, False)),
        # whole, and purged by somebody: it may have held data
        ((OURS,), WHOLE, {}, ((), False, False)),
        # something else was put on the disk since
        ((OURS,), OTHER, NEW, ((4,), False, False)),
        ((OURS,), Found(uuid=FOREIGN), NEW, ((4,), False, False)),
        ((OURS,), Found(uuid=FOREIGN, finished=True), {}, ((), False, False)),
        ((OURS,), BLANK, STARTED, ((), False, False)),
        # the disk was pulled
        ((OURS,), Found(present=False), NEW, ((), False, True)),
        ((OURS,), Found(present=False), {}, ((), False, True)),
        # two announced by one attempt: only the one without a label is given back
        ((RETRY, OURS), WHOLE, {**NEW, RETRY: Known(5, new=True)}, ((5,), False, False)),
        ((RETRY, OURS), CUT, {**NEW, RETRY: Known(5, new=True)}, ((5, 4), True, False)),
    ],
)
def test_raw(
    uuids: tuple[str, ...],
    found: Found,
    known: dict[str, Known],
    expected: tuple[tuple[int, ...], bool, bool],
) -> None:
    verdict = prepare_verdict.decide(uuids, found, known)
    assert (verdict.purge, verdict.wipe, verdict.keep) == expected
    assert verdict.why


def test_only_an_osd_that_is_given_up_loses_its_folder() -> None:
    assert prepare_verdict.decide((OURS,), CUT, NEW).dead == (OURS,)
    assert prepare_verdict.decide((OURS,), BLANK, NEW).dead == (OURS,)
    for known in (NEW, STARTED, {}):
        assert prepare_verdict.decide((OURS,), WHOLE, known).dead == ()
    assert prepare_verdict.decide((OURS,), BLANK, STARTED).dead == ()
    assert prepare_verdict.decide((OURS,), Found(present=False), NEW).dead == ()


@pytest.mark.parametrize("found", [CUT, WHOLE, BLANK, OTHER, Found(present=False)])
def test_the_number_of_an_osd_that_ran_is_never_given_back(found: Found) -> None:
    assert prepare_verdict.decide((OURS,), found, STARTED).purge == ()


@pytest.mark.parametrize(
    ("finished", "known", "expected"),
    [
        ({}, {}, ((), ())),
        ({}, NEW, ((), (4,))),
        ({OURS: False}, NEW, ((OURS,), (4,))),
        ({OURS: True}, NEW, ((), ())),
        ({OURS: False}, STARTED, ((), ())),
        ({OURS: False}, {}, ((OURS,), ())),
        ({OURS: None}, NEW, ((OURS,), (4,))),
        ({OURS: None}, STARTED, ((), ())),
        # Ceph does not know it, as after its mons were restored: it may have held data
        ({OURS: True}, {}, ((), ())),
        ({OURS: None}, {}, ((), ())),
        ({OURS: True, RETRY: False}, {**NEW, RETRY: Known(5, new=True)}, ((RETRY,), (5,))),
    ],
)
def test_volumes(
    finished: dict[str, bool | None],
    known: dict[str, Known],
    expected: tuple[tuple[str, ...], tuple[int, ...]],
) -> None:
    assert prepare_verdict.decide_volumes((OURS, RETRY), finished, known) == expected


def test_a_verdict_does_nothing_unless_told() -> None:
    assert Verdict() == Verdict(purge=(), dead=(), wipe=False, keep=False, why="")
