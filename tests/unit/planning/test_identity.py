"""Which cluster is this: adopted, begun, or not to be touched (CASES C23 and C25)."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import Conf, DaemonType, LvmOsd, OsdLabel, StoredIdentity
from orchestrator.model.names import OsdId
from orchestrator.planning.identity import Fresh, Known, Unknown, identify
from tests.fakes import facts

EMPTY = facts.empty("store-a", "store-b", "store-c")
STORED = StoredIdentity(fsid=facts.OURS, established=False)
NEVER_IN_QUORUM = {"monmap_epoch": 0}


def asked(found):
    return identify(found, tuple(found.hosts.values()))


def holding(name, *daemons, conf=None):
    return facts.host(name, daemons=daemons, conf=conf or Conf())


def reasons(found):
    answer = asked(found)
    assert isinstance(answer, Unknown)
    return [(reason.code, reason.host) for reason in answer.reasons]


def message(found):
    return asked(found).reasons[0].message


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (EMPTY, Fresh(fsid=None)),
        (replace(EMPTY, identity=STORED), Fresh(fsid=facts.OURS)),
        (
            facts.changed(EMPTY, holding("store-a", facts.mon("a", **NEVER_IN_QUORUM))),
            Fresh(fsid=facts.OURS),
        ),
        (facts.changed(EMPTY, holding("store-a", facts.mon("a"))), Known(fsid=facts.OURS)),
        (
            facts.changed(EMPTY, holding("store-a", facts.mon("a", monmap_epoch=-1))),
            Known(fsid=facts.OURS),
        ),
        (facts.healthy(), Known(fsid=facts.OURS)),
        (replace(facts.healthy(), identity=None), Known(fsid=facts.OURS)),
        (replace(facts.healthy(), cluster=None), Known(fsid=facts.OURS)),
    ],
    ids=["nothing", "stored", "begun", "mon", "unread epoch", "healthy", "new desk", "no quorum"],
)
def test_what_hosts_hold_says_which_cluster_it_is(found, expected):
    assert asked(found) == expected


@pytest.mark.parametrize("error", ["timed out", "error connecting", "no answer", "unreachable"])
def test_c23_a_host_that_did_not_answer_never_begins_a_cluster(error):
    quiet = replace(facts.silent("store-a"), error=error)
    found = facts.changed(EMPTY, quiet)

    assert reasons(found) == [("ClusterStateUnknown", "store-a")]
    assert message(found).startswith("cluster state unknown: ")
    assert f"({error})" in message(found)


def test_c23_the_mon_data_of_a_host_is_adopted_from_a_fresh_workstation():
    found = facts.changed(EMPTY, holding("store-a", facts.mon("a", active="inactive")))

    assert asked(found) == Known(fsid=facts.OURS)


def test_c23_an_existing_cluster_is_known_although_a_host_is_silent():
    assert asked(facts.changed(facts.healthy(), facts.silent("store-c"))) == Known(fsid=facts.OURS)


def test_c23_data_that_cannot_be_read_is_no_empty_host():
    found = facts.changed(EMPTY, holding("store-a", facts.mon("a", fsid="")))

    assert reasons(found) == [("ClusterStateUnknown", "store-a")]
    assert "/var/lib/ceph/mon/ceph-a" in message(found)


@pytest.mark.parametrize(
    "host",
    [
        holding("store-b", conf=Conf(present=True, fsid=facts.OURS)),
        holding("store-b", facts.daemon(DaemonType.OSD, "3")),
    ],
    ids=["ceph.conf", "a running OSD"],
)
def test_c23_the_traces_of_a_cluster_whose_mons_are_elsewhere_stop_a_new_one(host):
    found = facts.changed(EMPTY, host)

    assert reasons(found) == [("MonsLost", None)]
    assert facts.OURS in message(found)
    assert "store-b" in message(found)


def test_c23_an_established_cluster_without_any_mon_is_a_loss_and_no_beginning():
    found = replace(EMPTY, identity=replace(STORED, established=True))

    assert reasons(found) == [("MonsLost", None)]
    assert "identity.json" in message(found)


OSD = facts.daemon(DaemonType.OSD, "3")
LVM = LvmOsd(id=OsdId(3), uuid="u3", fsid=facts.OURS, path="/dev/vg/lv")


@pytest.mark.parametrize(
    "host",
    [
        holding("store-b", OSD),
        holding("store-b", replace(OSD, active="inactive")),
        facts.host("store-b", devices=(facts.osd_disk("sdb", 3),)),
        facts.host("store-b", osds_lvm=(LVM,)),
    ],
    ids=["runs", "stopped", "disk", "volume"],
)
@pytest.mark.parametrize("begun", ["stored", "mon"])
def test_c23_no_mons_are_made_anew_for_a_cluster_that_has_osds(host, begun):
    store = facts.mon("d", **NEVER_IN_QUORUM)
    mon = holding("store-a", store) if begun == "mon" else facts.host("store-a")
    found = facts.changed(EMPTY, host, mon)
    found = replace(found, identity=STORED if begun == "stored" else None)

    assert reasons(found) == [("MonsLost", None)]
    assert "it has OSDs (osd.3 on store-b), yet no host holds" in message(found)


def test_osds_of_others_hold_no_beginning_up():
    theirs = facts.host("store-b", devices=(facts.osd_disk("sdb", 3, facts.OTHER),))
    unfinished = facts.disk("sdc", osd=OsdLabel(id=OsdId(-1), uuid="u", fsid=facts.OURS))
    found = facts.changed(EMPTY, theirs, facts.host("store-c", devices=(unfinished,)))

    assert asked(replace(found, identity=STORED)) == Fresh(fsid=facts.OURS)


@pytest.mark.parametrize(
    ("host", "place"),
    [
        (
            holding("store-a", facts.mon("a", fsid=facts.OTHER)),
            "store-a:/var/lib/ceph/mon/ceph-a",
        ),
        (
            holding("store-b", conf=Conf(present=True, fsid=facts.OTHER)),
            "store-b:/etc/ceph/ceph.conf",
        ),
        (holding("store-c", facts.daemon(DaemonType.OSD, "1", fsid=facts.OTHER)), "osd.1"),
    ],
)
def test_c25_old_data_of_another_cluster_is_refused_with_both_fsids_and_the_path(host, place):
    found = replace(facts.changed(EMPTY, host), identity=STORED)

    assert reasons(found) == [("FsidMismatch", None)]
    for part in (facts.OURS, facts.OTHER, place, "the stored identity", "nothing was changed"):
        assert part in message(found)


def test_c25_data_of_our_own_beginning_is_used_again():
    begun = facts.changed(EMPTY, holding("store-a", facts.mon("a", **NEVER_IN_QUORUM)))

    assert asked(replace(begun, identity=STORED)) == Fresh(fsid=facts.OURS)


def test_c25_every_place_of_the_other_cluster_is_named_and_a_crowd_is_cut():
    others = [
        holding(f"store-{letter}", conf=Conf(present=True, fsid=facts.OTHER))
        for letter in "abcdefg"
    ]
    found = replace(facts.changed(EMPTY, *others), identity=STORED)

    assert "store-c:/etc/ceph/ceph.conf and 4 more places" in message(found)


def test_a_stopped_osd_of_another_cluster_is_its_disks_business():
    leftover = facts.daemon(DaemonType.OSD, "3", fsid=facts.OTHER, active="inactive")

    assert asked(facts.changed(EMPTY, holding("store-a", leftover))) == Fresh(fsid=None)


def test_an_answer_of_the_mons_without_fsid_proves_nothing():
    found = replace(facts.healthy(), cluster=facts.view(fsid=""))

    assert asked(found) == Known(fsid=facts.OURS)
