"""Another's lock stops what there is to do, and nothing else."""

from dataclasses import replace

from orchestrator import planning
from orchestrator.model.facts import Lock
from orchestrator.model.plan import Plan
from orchestrator.planning import locks
from tests.fakes import facts

THEIRS = Lock(owner="root@there", id="theirs", seconds_left=287.4)
OURS = Lock(owner="root@here", id="ours", seconds_left=12.0)


def seen(*held, owner="ours"):
    hosts = [facts.host(f"store-{'abc'[number]}", lock=lock) for number, lock in enumerate(held)]
    return replace(facts.changed(facts.empty(), *hosts), owner=owner)


def test_c49_a_lock_of_another_holds_all_steps_back_and_names_its_owner():
    found = seen(THEIRS, None)
    wanted = planning.plan(facts.spec(mon={"count": 1}), found)
    assert wanted.steps

    held = locks.respected(wanted, found)

    assert held.steps == ()
    (reason,) = held.blocked
    assert (reason.code, reason.transient) == ("Locked", True)
    assert reason.message == (
        "root@there is working on this cluster; its lock ends in 287 s unless it is renewed"
    )


def test_c49_what_another_has_half_made_is_not_judged():
    begun = facts.host("store-a", lock=THEIRS, conf=facts.Conf(present=True, fsid=facts.OURS))
    found = replace(facts.changed(facts.empty(), begun), owner="ours")
    wanted = planning.plan(facts.spec(mon={"count": 1}), found)
    assert [reason.code for reason in wanted.blocked] == ["MonsLost"]

    assert [reason.code for reason in locks.respected(wanted, found).blocked] == ["Locked"]
    over = replace(found, owner=THEIRS.id)
    assert locks.respected(wanted, over) == wanted


def test_our_own_lock_and_one_that_ended_hold_nothing_back():
    found = seen(OURS, replace(THEIRS, seconds_left=0.0))

    assert locks.others(found) == ()


def test_without_anything_to_do_there_is_nothing_to_wait_for():
    assert locks.respected(Plan(), seen(THEIRS)) == Plan()


def test_a_workstation_that_never_ran_owns_no_lock():
    assert len(locks.others(seen(OURS, owner=""))) == 1


def test_an_owner_is_named_once_with_its_longest_lock():
    found = seen(replace(THEIRS, seconds_left=3.0), THEIRS)

    assert [reason.message for reason in locks.others(found)] == [locks.reason(THEIRS).message]


def test_the_lock_in_the_cluster_counts_as_well():
    found = seen(None)
    found = replace(found, cluster=facts.view(locks=(THEIRS,)))

    assert [reason.code for reason in locks.others(found)] == ["Locked"]


def test_a_lock_counts_as_kept_where_it_is_ours_on_every_host_and_lasts():
    long = replace(OURS, seconds_left=200.0)
    names = ["store-a", "store-b"]

    assert locks.kept(seen(long, long), names, 150.0)
    assert not locks.kept(seen(long, OURS), names, 150.0)
    assert not locks.kept(seen(long, None), names, 150.0)
    assert not locks.kept(seen(long, replace(THEIRS, seconds_left=299.0)), names, 150.0)
