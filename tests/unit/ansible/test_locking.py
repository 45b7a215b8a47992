"""The lock around a step's run: where it lies, and when it is taken and let go."""

from orchestrator.ansible import locking
from orchestrator.ansible.variables import Variables
from orchestrator.model.facts import Lock
from orchestrator.model.owner import Owner
from tests.fakes import facts

HOSTS = facts.changed(facts.healthy(), facts.host("store-d"))
US = Owner(name="root@here", id="ours", seconds=60.0)


def run(playbook, *targets, **extra):
    return Variables(
        playbook=playbook,
        targets=targets,
        hosts={name: {} for name in targets},
        extra={"ceph_admin_host": "store-a", **extra},
    )


def lock_of(playbook, *targets, seen=HOSTS, last=False):
    done = locking.locked(run(playbook, *targets), seen, US, last=last)
    own = {name: value for name, value in done.extra.items() if name.startswith("lock_")}
    return own, list(done.hosts)


def test_with_a_quorum_the_lock_is_the_clusters_and_one_host_asks_for_it():
    own, hosts = lock_of("osd.yml", "store-b", "store-c")

    assert own == {
        "lock_hosts": ["store-a"],
        "lock_renewal_hosts": ["store-a"],
        "lock_release_hosts": [],
        "lock_owner": "root@here",
        "lock_id": "ours",
        "lock_seconds": 60.0,
        "lock_in_cluster": True,
    }
    assert hosts == ["store-b", "store-c", "store-a"]


def test_c49_before_there_is_a_quorum_the_lock_is_on_each_host_that_is_worked_on():
    own, _ = lock_of("mon.yml", "store-a", "store-b", seen=facts.empty("store-a", "store-b"))

    assert own["lock_hosts"] == ["store-a", "store-b"]
    assert own["lock_in_cluster"] is False


def test_c49_a_creation_is_locked_on_the_hosts_of_its_mons():
    names = ("store-a", "store-b", "store-c")
    found = run("site.yml", *names, mon_targets=["store-a", "store-b"])

    assert locking.places(found, facts.empty(*names)) == ("store-a", "store-b")


def test_mons_are_locked_on_their_hosts_too_as_the_quorum_may_go_meanwhile():
    own, _ = lock_of("mon.yml", "store-b")

    assert (own["lock_hosts"], own["lock_in_cluster"]) == (["store-a", "store-b"], True)


def test_the_last_run_releases_the_lock_wherever_it_is_ours():
    held = facts.changed(
        HOSTS,
        facts.host("store-c", lock=Lock(owner="root@here", id="ours", seconds_left=9.0)),
        facts.host("store-d", lock=Lock(owner="root@there", id="theirs", seconds_left=9.0)),
    )
    own, hosts = lock_of("osd.yml", "store-b", seen=held, last=True)

    assert own["lock_release_hosts"] == ["store-a", "store-c"]
    assert hosts == ["store-b", "store-a", "store-c"]


def test_a_lock_that_is_kept_is_not_taken_again_and_yet_renewed_in_a_long_run():
    extra = locking.locked(run("osd.yml", "store-b"), HOSTS, US, last=False, kept=True).extra

    assert (extra["lock_hosts"], extra["lock_renewal_hosts"]) == ([], ["store-a"])


def test_who_makes_way_lets_go_of_its_part():
    found = locking.locked(run("mon.yml", "store-b"), HOSTS, US, last=False)

    done = locking.unlocked(found)

    assert done.playbook == "unlock.yml"
    assert done.extra["lock_release_hosts"] == ["store-a", "store-b"]
    assert (done.extra["lock_hosts"], done.extra["lock_renewal_hosts"]) == ([], [])


def test_what_is_let_go_at_the_end_is_all_that_was_taken_on_the_way():
    before = facts.empty("store-a", "store-b")
    first = locking.locked(run("mon.yml", "store-b"), before, US, last=False)
    then = locking.locked(run("osd.yml", "store-c"), HOSTS, US, last=False)

    done = locking.unlocked(locking.held(then, locking.held(first, None)))

    assert set(done.extra["lock_release_hosts"]) == {"store-a", "store-b"}
    assert done.extra["lock_in_cluster"] is True
    assert {"store-a", "store-b"} <= set(done.hosts)
