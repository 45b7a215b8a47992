"""When OSDs count as full: kept as the manifest says, and in Ceph's order."""

import pytest

from orchestrator import planning
from orchestrator.model.plan import ConfigStep, CreationStep, MonStep
from orchestrator.planning import config, full_ratios
from tests.fakes import facts

NOW = {"nearfull": 0.85, "backfillfull": 0.9, "full": 0.95}


def spec(**ratios):
    return facts.spec(mgr={"count": 2}, storage={"useAllNodes": True, **ratios})


def differing(now=NOW, **ratios):
    return full_ratios.differing(spec(**ratios), facts.view(full_ratios=now))


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ({}, {}),
        ({"fullRatio": 0.95, "nearFullRatio": 0.85}, {}),
        ({"nearFullRatio": 0.7}, {"nearfull": 0.7}),
        (
            {"nearFullRatio": 0.7, "backfillFullRatio": 0.8, "fullRatio": 0.96},
            {"nearfull": 0.7, "backfillfull": 0.8, "full": 0.96},
        ),
    ],
)
def test_what_differs_is_set(ratios, expected):
    assert differing(**ratios) == expected


def test_nothing_is_set_while_ceph_does_not_tell_them():
    assert differing(now={}, nearFullRatio=0.7) == {}


def test_it_is_one_step_with_its_reason_and_nothing_once_it_is_so():
    found = facts.changed(facts.healthy(), cluster=facts.view(full_ratios=NOW))
    plan = planning.plan(spec(nearFullRatio=0.7), found)
    (step,) = plan.steps
    assert isinstance(step, ConfigStep)
    assert dict(step.full_ratios) == {"nearfull": 0.7}
    assert [f"{one.action} {one.subject}: {one.reason}" for one in step.changes] == [
        "set nearfull ratio of OSDs: 0.7 instead of 0.85"
    ]
    so = facts.changed(found, cluster=facts.view(full_ratios={**NOW, "nearfull": 0.7}))
    assert planning.plan(spec(nearFullRatio=0.7), so).converged


def test_a_new_cluster_begins_with_them():
    step = planning.plan(spec(fullRatio=0.97), facts.empty("store-a", "store-b", "store-c")).first
    assert isinstance(step, CreationStep)
    mons = step.parts[0]
    assert isinstance(mons, MonStep)
    assert dict(mons.full_ratios) == {"full": 0.97}
    assert "0.97 (new cluster)" in [one.reason for one in step.changes]


def test_one_that_would_be_above_another_that_stays_is_refused_and_nothing_is_set():
    view = facts.view(full_ratios=NOW)
    asked = {"fullRatio": 0.8, "nearFullRatio": 0.7}
    assert differing(**asked) == {}
    (reason,) = full_ratios.blocked(spec(**asked), view)
    assert reason.code == "RatiosOutOfOrder"
    assert reason.message == (
        "the backfillfull ratio would be 0.9 and the full ratio 0.8, which Ceph calls an error; "
        "give both in spec.storage"
    )
    context = facts.context(facts.changed(facts.healthy(), cluster=view), storage=asked)
    assert [one.code for one in config.blocked(context)] == ["RatiosOutOfOrder"]


def test_an_order_that_others_made_is_not_ours_to_mend():
    odd = {"nearfull": 0.99, "backfillfull": 0.9, "full": 0.95}
    assert list(full_ratios.blocked(spec(), facts.view(full_ratios=odd))) == []
    assert list(full_ratios.blocked(spec(fullRatio=0.96), facts.view(full_ratios=odd))) == []
    assert differing(now=odd, fullRatio=0.96) == {"full": 0.96}
