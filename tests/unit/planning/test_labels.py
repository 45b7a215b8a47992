"""An OSD is its uuid and fsid: renamed, moved, cloned and shared disks (CASES C03, C07)."""

from dataclasses import replace

from orchestrator import planning
from orchestrator.model.facts import Osd
from orchestrator.planning import labels, osds
from tests.fakes import facts

SPEC = facts.spec(mgr={"count": 2})


def part(found, **spec):
    return osds.planned(facts.context(found, **spec))


def lines(planned):
    return [
        f"{one.action} {one.subject} on {one.host}"
        for step in planned.steps
        for one in step.changes
    ]


def test_c07_after_the_kernel_renamed_disks_there_is_nothing_to_do():
    found = facts.healthy()
    host = found.hosts["store-a"]
    second = facts.osd_disk("sdc", 3)
    known = (*facts.view().osds, Osd(id=3, uuid=facts.uuid(3), up=True))
    before = replace(
        host,
        devices=(*host.devices, second),
        daemons=(*host.daemons, facts.osd(3, host)),
    )
    swapped = replace(
        before,
        devices=tuple(
            replace(one, name=name, path=f"/dev/{name}")
            for one, name in zip(before.devices, ("sdc", "sdb"), strict=True)
        ),
    )

    for state in (before, swapped):
        plan = planning.plan(SPEC, facts.changed(found, state, cluster=facts.view(osds=known)))
        assert plan.converged
        assert plan.notices == ()


def moved_disk(*, running=False, up=False, reported="store-a"):
    """The disk of osd.0 was carried from store-a to store-b; its unit stayed behind."""
    found = facts.healthy()
    old, new = found.hosts["store-a"], found.hosts["store-b"]
    state = "active" if running else "failed"
    daemons = tuple(replace(one, active=state) if one.type == "osd" else one for one in old.daemons)
    view = facts.view(
        osds=(replace(facts.view().osds[0], up=up, host=reported), *facts.view().osds[1:])
    )
    return facts.changed(
        found,
        replace(old, devices=(), daemons=daemons),
        replace(new, devices=(*new.devices, *old.devices)),
        cluster=view,
    )


def test_a_disk_that_moved_starts_on_its_new_host_and_the_old_unit_is_spoken_of():
    planned = part(moved_disk())

    assert lines(planned) == ["activate osd.0 on store-b"]
    assert [(one.code, one.host) for one in planned.notices] == [
        ("OsdMoved", "store-a"),
        ("NoDevices", "store-a"),
    ]
    assert planned.notices[0].message == (
        "the disk of osd.0 is now /dev/disk/by-id/wwn-sdb on store-b; when it runs there, "
        "ceph-osd@0 is taken away from here"
    )


def test_a_moved_osd_is_not_started_while_it_still_runs_on_the_old_host():
    planned = part(moved_disk(running=True, up=True))

    assert lines(planned) == []
    assert [(one.code, one.host) for one in planned.blocked] == [
        ("OsdMoved", "store-a"),
        ("OsdStillUp", "store-b"),
    ]


def test_a_moved_osd_waits_until_ceph_no_longer_sees_it_elsewhere():
    found = moved_disk(up=True, reported="store-a")
    found = facts.changed(found, facts.silent("store-a"))

    planned = part(found)

    assert lines(planned) == []
    assert [(one.code, one.host, one.transient) for one in planned.blocked] == [
        ("OsdStillUp", "store-b", True)
    ]


def cloned():
    found = facts.healthy()
    host = found.hosts["store-b"]
    clone = replace(found.hosts["store-a"].devices[0], name="sdx", by_id="/dev/disk/by-id/wwn-sdx")
    return facts.changed(found, replace(host, devices=(*host.devices, clone)))


def test_an_osd_that_two_hosts_show_is_started_on_neither():
    found = facts.with_daemon(cloned(), "store-a", "osd", active="failed")

    planned = part(found)

    assert lines(planned) == []
    assert [(one.code, one.host) for one in planned.blocked] == [("DuplicateOsd", None)]
    assert planned.blocked[0].message == (
        f"osd.0, uuid {facts.uuid(0)}, is on /dev/disk/by-id/wwn-sdb on store-a and "
        "/dev/disk/by-id/wwn-sdx on store-b: a cloned disk, or one that both reach. "
        "Neither is started; take one of them away"
    )


def test_what_must_not_run_is_told_to_the_step_of_its_host():
    found = cloned()
    host = found.hosts["store-b"]
    orphan = facts.osd_disk("sdo", 9)
    disks = (*host.devices, orphan, facts.disk("sdn"))
    found = facts.changed(found, replace(host, devices=disks))

    (step,) = part(found).steps

    assert [(one.host, one.ignored) for one in step.hosts] == [
        ("store-b", (facts.uuid(0), facts.uuid(9)))
    ]


def test_an_osd_that_is_held_back_is_not_run_by_a_step_for_other_work():
    found = moved_disk(running=True, up=True)
    host = found.hosts["store-b"]
    found = facts.changed(found, replace(host, devices=(*host.devices, facts.disk("sdn"))))

    (step,) = part(found).steps

    assert step.hosts[0].ignored == (facts.uuid(0),)


def test_views_of_one_disk_are_one_place():
    label = facts.osd_disk("sda", 1).osd
    paths = [facts.disk(name, osd=label, wwn="0x5") for name in ("sda", "sdb")]
    whole = facts.disk("dm-0", osd=label, parent="sda", type="mpath")
    host = facts.host("store-a", devices=(*paths, whole))
    found = facts.changed(facts.empty(), host)

    assert len(labels.places(found, facts.OURS)[facts.uuid(1)]) == 1


def test_two_disks_of_one_host_with_one_label_are_a_clone():
    label = facts.osd_disk("sda", 1).osd
    disks = [facts.disk(name, osd=label) for name in ("sda", "sdb")]
    found = facts.changed(facts.empty(), facts.host("store-a", devices=tuple(disks)))

    assert labels.duplicates(labels.places(found, facts.OURS)) == {facts.uuid(1)}


def test_labels_of_another_cluster_are_not_ours_to_judge():
    disks = (facts.osd_disk("sda", 1, facts.OTHER), facts.osd_disk("sdb", 1, facts.OTHER))
    found = facts.changed(facts.empty(), facts.host("store-a", devices=disks))

    assert labels.places(found, facts.OURS) == {}
