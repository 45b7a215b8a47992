"""When an upgrade of OSDs is over."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.plan import ConfigStep
from orchestrator.planning import osd_release
from tests.fakes import facts

SQUID = "ceph version 19.2.3 (c92aebb) squid (stable)"
TENTACLE = "ceph version 20.2.4 (0123abcd) tentacle (stable)"
NEWER = "ceph version 20.2.5 (4567abcd) tentacle (stable)"


def view(osds=(TENTACLE,), mons=(TENTACLE,), required="squid", **values):
    versions = {"osd": dict.fromkeys(osds, 1), "mon": dict.fromkeys(mons, 1)}
    return facts.view(versions=versions, required_osd_release=required, **values)


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        (view(), "tentacle"),
        (view(osds=(TENTACLE, NEWER)), "tentacle"),
        (view(osds=(SQUID, TENTACLE)), ""),
        (view(mons=(SQUID, TENTACLE)), ""),
        (view(required="tentacle"), ""),
        (view(required="umbrella"), ""),
        (view(required=""), ""),
        (view(osds=()), ""),
        (view(osds=("ceph version Development (no_version)",)), ""),
        (replace(view(), versions={}), ""),
        (replace(view(), versions={"osd": "odd", "mon": None}), ""),
        (replace(view(), unanswered=("osds",)), ""),
        (None, ""),
    ],
)
def test_it_is_over_once_all_run_one_newer_release(cluster, expected):
    assert osd_release.due(cluster) == expected


@pytest.mark.parametrize(
    ("up", "in_", "expected"),
    [(False, True, ""), (False, False, "tentacle"), (True, True, "tentacle")],
)
def test_one_that_is_down_and_has_data_may_be_an_older_one(up, in_, expected):
    first, *others = facts.view().osds
    osds = (replace(first, up=up, in_=in_), *others)
    assert osd_release.due(replace(view(), osds=osds)) == expected


def test_it_is_a_change_of_its_own_and_nothing_once_it_is_so():
    spec = facts.spec(mgr={"count": 2})
    plan = planning.plan(spec, facts.changed(facts.healthy(), cluster=view()))
    (step,) = plan.steps
    assert isinstance(step, ConfigStep)
    assert step.osd_release == "tentacle"
    (change,) = step.changes
    assert f"{change.action} {change.subject}: {change.reason}" == (
        "set oldest release of OSDs: tentacle instead of squid: all OSDs run it, and no older one "
        "may come up from now on"
    )
    so = facts.changed(facts.healthy(), cluster=view(required="tentacle"))
    assert planning.plan(spec, so).converged
