"""Selectors, taints and choices against simple oracles: whatever the manifest and the hosts are.

The oracles say the documented meaning in other words and know nothing of the code under test.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.model.facts import DaemonType, Facts, Taint
from orchestrator.model.spec.kube import NodeSelectorTerm, Requirement, Toleration
from orchestrator.planning import label_selectors, placement, tolerations
from orchestrator.planning.host_rules import Rules
from tests.fakes import facts

KEYS, VALUES = ("a", "b"), ("x", "y", "3", "-7", "012", "")
ZONE = "topology.kubernetes.io/zone"

labels = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))
requirements = st.builds(
    Requirement,
    key=st.sampled_from(KEYS),
    operator=st.sampled_from(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")),
    values=st.lists(st.sampled_from(VALUES), max_size=3).map(tuple),
)


def number(text):
    try:
        return int(text)
    except ValueError:
        return None


def met(one, found):
    """The words of Kubernetes' API reference, as a table of operators."""
    value = found.get(one.key)
    limit = number(one.values[0]) if len(one.values) == 1 else None
    ours = number(value) if value is not None else None
    compared = ours is not None and limit is not None
    return {
        "In": value is not None and value in one.values,
        "NotIn": value is None or value not in one.values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
        "Gt": compared and ours > limit,
        "Lt": compared and ours < limit,
    }[one.operator]


@given(requirements, labels)
def test_a_requirement_means_what_the_reference_says(one, found):
    assert label_selectors.matches(one, found) == met(one, found)


@given(st.lists(requirements, max_size=3), labels)
def test_a_term_is_met_when_all_its_requirements_are_and_an_empty_one_never(asked, found):
    term = NodeSelectorTerm(match_expressions=tuple(asked))

    expected = bool(asked) and all(met(one, found) for one in asked)
    assert label_selectors.takes(term, found, "store-a") == expected


effects = st.sampled_from(("NoSchedule", "PreferNoSchedule", "NoExecute"))
taints = st.builds(
    Taint, key=st.sampled_from(KEYS), value=st.sampled_from(("", "x")), effect=effects
)
tolerated = st.builds(
    Toleration,
    key=st.sampled_from(("", *KEYS)),
    operator=st.sampled_from(("", "Equal", "Exists")),
    value=st.sampled_from(("", "x")),
    effect=st.one_of(st.just(""), effects),
)


@given(st.lists(taints, max_size=3), st.lists(tolerated, max_size=3))
def test_a_host_is_refused_when_one_hard_taint_is_tolerated_by_none(given_taints, asked):
    def covers(one, taint):
        same_value = one.operator == "Exists" or one.value == taint.value
        return one.effect in ("", taint.effect) and one.key in ("", taint.key) and same_value

    bad = [
        taint
        for taint in given_taints
        if taint.effect != "PreferNoSchedule" and not any(covers(one, taint) for one in asked)
    ]

    assert list(tolerations.refusing(given_taints, asked)) == bad


zones = st.lists(st.one_of(st.none(), st.sampled_from("xyz")), min_size=1, max_size=7)


def room(zones):
    return [
        facts.host(f"store-{chr(97 + at)}", labels={ZONE: zone} if zone else {})
        for at, zone in enumerate(zones)
    ]


def chosen(asked, hosts, count):
    spec = facts.spec(placement={"mon": asked})
    rules = Rules(spec=spec, facts=Facts(hosts=facts.hosts(*hosts)), kind=DaemonType.MON)
    places = placement.choose(count, hosts, load=lambda _: 0, per_host=1, rules=rules)
    return [hosts.index(host) for host in places]


APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": (
            {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "rook-ceph-mon"}}},
        )
    }
}


@given(zones, st.integers(min_value=0, max_value=7))
def test_apart_by_zone_takes_one_host_of_each_and_all_without_a_zone(given_zones, count):
    expected = [
        at for at, zone in enumerate(given_zones) if zone is None or zone not in given_zones[:at]
    ]

    assert chosen(APART, room(given_zones), count) == expected[:count]


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from("xyz"), min_size=1, max_size=7),
    st.integers(min_value=0, max_value=7),
    st.integers(min_value=1, max_value=2),
)
def test_a_spread_is_never_more_uneven_than_allowed_and_as_large_as_it_can_be(
    given_zones, count, skew
):
    constraint = {
        "topologyKey": ZONE,
        "maxSkew": skew,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "rook-ceph-mon"}},
    }
    found = chosen({"topologySpreadConstraints": (constraint,)}, room(given_zones), count)

    def counts(places):
        return {zone: sum(given_zones[at] == zone for at in places) for zone in given_zones}

    for end in range(1, len(found) + 1):
        assert max(counts(found[:end]).values()) - min(counts(found[:end]).values()) <= skew
    if len(found) < min(count, len(given_zones)):
        final = counts(found)
        left = [zone for at, zone in enumerate(given_zones) if at not in found]
        assert all(final[zone] + 1 - min(final.values()) > skew for zone in left)
