"""CASES C31: caps that differ are repaired in place, whatever entity of ours has them."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from orchestrator.model.facts import AuthEntity, Service
from orchestrator.planning import caps, config
from tests.fakes import facts


def drifted(*found):
    auth = tuple(AuthEntity(entity=entity, caps=own) for entity, own in found)
    return facts.changed(facts.healthy(), cluster=facts.view(auth=auth))


OSD = {"mon": "allow profile osd", "osd": "allow *"}


def test_c31_the_missing_cap_of_an_osd_is_repaired_with_the_whole_set():
    (step,) = config.steps(facts.context(drifted(("osd.1", OSD))))

    (user,) = step.users
    assert user.entity == "osd.1"
    assert user.caps == {"mgr": "allow profile osd", "mon": "allow profile osd", "osd": "allow *"}
    assert [(one.action, one.subject, one.reason) for one in step.changes] == [
        (
            "repair",
            "user osd.1",
            "its caps differ: mgr has nothing instead of allow profile osd; its key stays",
        )
    ]


@pytest.mark.parametrize("entity", ["client.admin", "mgr.a", "osd.0"])
def test_c31_every_entity_of_ours_is_looked_at(entity):
    kind = entity if entity == caps.ADMIN else entity.split(".")[0]

    assert list(caps.drifted(drifted((entity, {"mon": "allow r"}))))
    assert not list(caps.drifted(drifted((entity, caps.CAPS[kind]))))


def test_c31_one_cap_too_many_is_taken_away():
    ((change, user),) = caps.drifted(drifted(("mgr.a", {**caps.CAPS["mgr"], "mgr": "allow *"})))

    assert "mgr" not in user.caps
    assert "mgr has allow * instead of nothing" in change.reason


@pytest.mark.parametrize("entity", ["client.rbd", "mgr.z", "osd.77", "mds.a", "client.crash"])
def test_entities_that_are_not_ours_are_left_alone(entity):
    assert not list(caps.drifted(drifted((entity, {"mon": "allow r"}))))


@pytest.mark.parametrize(
    ("service", "entity", "wanted"),
    [
        ("csi", "client.csi-rbd-node", caps.CAPS["client.csi-rbd-node"]),
        ("crash", "client.crash", {"mgr": "allow rw", "mon": "allow profile crash"}),
        (
            "exporter",
            "client.ceph-exporter",
            {"mds": "allow r", "mgr": "allow r", "mon": "allow profile ceph-exporter"}
            | {"osd": "allow r"},
        ),
    ],
)
def test_c31_the_user_of_a_service_is_ours_where_a_host_runs_it(service, entity, wanted):
    wrong = AuthEntity(entity=entity, caps={"mon": "allow r"})
    collector = Service(name=service, installed=True, active="active", enabled=True, record="r")
    seen = facts.changed(facts.healthy(), cluster=facts.view(auth=(wrong,)))
    hosts = dict(seen.hosts)
    hosts["store-b"] = replace(hosts["store-b"], services=(collector,))

    ((_, user),) = caps.drifted(replace(seen, hosts=MappingProxyType(hosts)))

    assert (user.entity, user.caps) == (entity, wanted)


def test_ceph_s_two_ways_of_writing_a_profile_are_one():
    own = {"mds": "allow *", "mon": "profile mgr", "osd": "allow *"}

    assert not list(caps.drifted(drifted(("mgr.a", own))))


def test_nothing_is_known_without_the_cluster():
    assert not list(caps.drifted(facts.changed(facts.healthy(), cluster=None)))
