"""Units that stayed behind when a disk was carried to another host."""

from dataclasses import replace

from orchestrator.model.facts import Osd
from orchestrator.model.plan import Remains, RemovedDaemon
from orchestrator.planning import osd_moves
from tests.fakes import facts


def carried(*, old="failed", new="", up=False, error="", osds=None):
    """The disk of osd.0 is on store-b now; its units there and on store-a are in these states."""
    found = facts.healthy()
    here, there = found.hosts["store-a"], found.hosts["store-b"]
    daemons = tuple(replace(one, active=old) if one.type == "osd" else one for one in here.daemons)
    moved = (facts.osd(0, there, active=new),) if new else ()
    known = (Osd(id=0, uuid=facts.uuid(0), up=up, host="store-a"), *facts.view().osds[1:])
    return facts.changed(
        found,
        replace(here, devices=(facts.disk("sdq", error=error),), daemons=daemons),
        replace(
            there,
            devices=(*there.devices, *here.devices),
            daemons=(*there.daemons, *moved),
        ),
        cluster=facts.view(osds=known if osds is None else osds),
    )


def gone(found):
    return [one for step in osd_moves.steps(facts.context(found)) for one in step.daemons]


LEFT = RemovedDaemon(type="osd", id="0", host="store-a", data=Remains.ASIDE)


def test_it_goes_once_the_osd_runs_where_its_disk_is():
    assert gone(carried(new="active", up=True)) == [LEFT]
    assert gone(carried(old="activating", new="active", up=True)) == [LEFT]
    (step,) = osd_moves.steps(facts.context(carried(new="active", up=True)))
    assert [change.reason for change in step.changes] == [
        "its disk is /dev/disk/by-id/wwn-sdb on store-b now"
    ]


def test_it_stays_as_long_as_the_osd_does_not_run_there():
    assert gone(carried()) == []
    assert gone(carried(new="failed")) == []


def test_one_that_runs_without_its_disk_is_stopped():
    assert gone(carried(old="active")) == [LEFT]


def test_one_that_ceph_has_up_may_have_its_disk_and_is_left_to_a_person():
    assert gone(carried(old="active", up=True)) == []


def test_one_of_which_too_little_is_known_is_left_to_a_person():
    assert gone(carried(old="active", error="cannot be read")) == []
    assert gone(carried(old="active", osds=())) == []
    stranger = Osd(id=0, uuid=facts.uuid(9), up=False)
    assert gone(carried(old="active", osds=(stranger,))) == []
    found = carried(old="active")
    assert gone(replace(found, cluster=facts.view(unanswered=("osds",)))) == []


def test_without_a_disk_elsewhere_nothing_goes():
    assert gone(facts.healthy()) == []
    found = facts.with_daemon(facts.healthy(), "store-a", "osd", active="failed")
    assert gone(found) == []
