"""Health warnings: muted as the manifest says, and unmuted when it was us."""

import pytest

from orchestrator.model.facts import HealthMute, Owned
from orchestrator.planning import mutes
from tests.fakes import facts


def planned(policies, *present, owned=(), sticky=True):
    spec = facts.spec(
        healthCheck={"muteHealthWarning": {code: {"policy": p} for code, p in policies.items()}}
    )
    view = facts.view(
        mutes=tuple(HealthMute(code=code, sticky=sticky) for code in present),
        owned=Owned(mutes=tuple(owned)),
    )
    return mutes.planned(spec, view)


@pytest.mark.parametrize(
    ("policies", "present", "owned", "on", "off"),
    [
        ({}, [], [], (), ()),
        ({"OSD_DOWN": "mute"}, [], [], ("OSD_DOWN",), ()),
        ({"OSD_DOWN": "mute"}, ["OSD_DOWN"], [], (), ()),
        ({"OSD_DOWN": "unmute"}, ["OSD_DOWN"], [], (), ("OSD_DOWN",)),
        ({"OSD_DOWN": "unmute"}, [], [], (), ()),
        ({}, ["OSD_DOWN"], ["OSD_DOWN"], (), ("OSD_DOWN",)),
        ({}, ["OSD_DOWN"], [], (), ()),
        ({}, [], ["OSD_DOWN"], (), ("OSD_DOWN",)),
        (
            {"OSD_DOWN": "mute"},
            ["OSDMAP_FLAGS"],
            ["OSDMAP_FLAGS"],
            ("OSD_DOWN",),
            ("OSDMAP_FLAGS",),
        ),
    ],
    ids=[
        "nothing",
        "mute",
        "muted already",
        "unmute",
        "unmuted already",
        "left the manifest",
        "of others",
        "unmuted by somebody",
        "one for another",
    ],
)
def test_mutes_follow_the_manifest(policies, present, owned, on, off):
    found = planned(policies, *present, owned=owned)

    assert (found.on, found.off) == (on, off)
    assert len(found.changes) == len(on) + len(off)


def test_a_mute_that_ends_by_itself_is_not_enough():
    assert planned({"OSD_DOWN": "mute"}, "OSD_DOWN", sticky=False).on == ("OSD_DOWN",)


def test_a_new_cluster_is_given_all():
    spec = facts.spec(healthCheck={"muteHealthWarning": {"OSD_DOWN": {"policy": "mute"}}})

    assert mutes.planned(spec, None).on == ("OSD_DOWN",)


def test_nothing_is_done_while_the_health_is_not_known():
    spec = facts.spec(healthCheck={"muteHealthWarning": {"OSD_DOWN": {"policy": "mute"}}})

    assert mutes.planned(spec, facts.view(status={})) == mutes.Mutes()
    assert mutes.planned(spec, facts.view(unanswered=("mutes",))) == mutes.Mutes()
