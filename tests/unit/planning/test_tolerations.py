"""Tolerations in the manner of Kubernetes' own table: which taints they mean."""

import pytest

from orchestrator.model.facts import Taint
from orchestrator.model.spec.kube import Toleration
from orchestrator.planning import tolerations

TAINT = Taint(key="foo", value="bar", effect="NoSchedule")


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"key": "foo", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "foo", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoSchedule"}, True),
        ({"operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "foo", "operator": "Equal", "value": "bar", "effect": "NoSchedule"}, True),
        ({"key": "foo", "value": "bar"}, True),
        ({"key": "foo", "operator": "Equal", "value": "baz"}, False),
        ({"key": "foo"}, False),
        ({"key": "foo", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "fo", "operator": "Exists"}, False),
        ({"key": "foo", "operator": "In", "value": "bar"}, False),
    ],
)
def test_which_toleration_means_a_taint(toleration, expected):
    assert tolerations.tolerates(Toleration.model_validate(toleration), TAINT) is expected


def test_only_taints_that_prefer_are_counted_and_never_refuse():
    given = [Taint(key="a", effect="PreferNoSchedule"), Taint(key="b", effect="PreferNoSchedule")]
    one = Toleration.model_validate({"key": "a", "operator": "Exists"})

    assert tolerations.refusing(given, ()) == ()
    assert (tolerations.avoided(given, ()), tolerations.avoided(given, (one,))) == (2, 1)
    assert tolerations.avoided([TAINT], ()) == 0
