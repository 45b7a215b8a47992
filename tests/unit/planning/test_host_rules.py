"""What keeps a daemon off a host, and what makes it leave, in the words that the plan says."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import DaemonType, Facts, Taint
from orchestrator.planning import host_rules, placement
from orchestrator.planning.host_rules import Rules
from tests.fakes import facts

ZONE, RACK = "topology.kubernetes.io/zone", "topology.rook.io/rack"
MON = "app: rook-ceph-mon"


def affinity(*expressions, fields=(), preferred=()):
    """A placement with one required term, or with preferred ones alone."""
    terms = [{"matchExpressions": tuple(expressions), "matchFields": tuple(fields)}]
    required = {"nodeSelectorTerms": tuple(terms)} if expressions or fields else None
    weighted = tuple(
        {"weight": weight, "preference": {"matchExpressions": (one,)}} for weight, one in preferred
    )
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": required,
            "preferredDuringSchedulingIgnoredDuringExecution": weighted,
        }
    }


def one(key, operator, *values):
    return {"key": key, "operator": operator, "values": values}


def apart(key, app="rook-ceph-mon", side="podAntiAffinity"):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {side: {"requiredDuringSchedulingIgnoredDuringExecution": (term,)}}


def taint(text):
    pair, _, effect = text.partition(":")
    key, _, value = pair.partition("=")
    return Taint(key=key, value=value, effect=effect)


def room(*given):
    return Facts(hosts=facts.hosts(*given))


def host(name, *taints, daemons=(), groups=(), **labels):
    names = {"zone": ZONE, "rack": RACK}
    return facts.host(
        f"store-{name}",
        labels={names.get(key, key): value for key, value in labels.items()},
        taints=tuple(taint(text) for text in taints),
        daemons=daemons,
        groups=groups,
    )


def rules(placements, *given, kind=DaemonType.MON, **more):
    return Rules(spec=facts.spec(placement=placements), facts=room(*given), kind=kind, **more)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (one("disk", "In", "ssd", "nvme"), "disk In [ssd, nvme] (it has hdd)"),
        (one("gpu", "Exists"), "gpu Exists (it has none)"),
        (one("disk", "DoesNotExist"), "disk DoesNotExist (it has hdd)"),
        (one("disk", "NotIn", "hdd"), "disk NotIn [hdd] (it has hdd)"),
        (one("slots", "Gt", "12"), "slots Gt [12] (it has 12)"),
    ],
)
def test_a_requirement_that_is_not_met_is_named_with_what_the_host_has(asked, expected):
    given = host("a", disk="hdd", slots="12")

    found = rules({"mon": affinity(asked)}, given)

    assert found.refusal(given) == f"nodeAffinity asks for {expected}"
    assert found.eviction(given) == found.refusal(given)


def test_a_host_can_be_named_by_its_own_name():
    name = one("metadata.name", "In", "store-b")
    found = rules({"mon": affinity(fields=[name])}, host("a"), host("b"))

    assert found.refusal(host("b")) == ""
    assert (
        found.refusal(host("a"))
        == "nodeAffinity asks for metadata.name In [store-b] (it is store-a)"
    )


@pytest.mark.parametrize(
    ("effect", "refused", "evicted"),
    [("NoSchedule", True, False), ("NoExecute", True, True), ("PreferNoSchedule", False, False)],
)
def test_a_taint_keeps_new_daemons_away_and_only_no_execute_drives_them_out(
    effect, refused, evicted
):
    given = host("a", f"dedicated=db:{effect}")
    found = rules({}, given)

    text = f"nothing tolerates its taint dedicated=db:{effect}"
    assert found.refusal(given) == (text if refused else "")
    assert found.eviction(given) == (text if evicted else "")


def test_a_toleration_of_all_helps_each_kind():
    every = {"all": {"tolerations": ({"operator": "Exists"},)}, "mon": affinity(one("a", "Exists"))}
    given = host("a", "dedicated=db:NoExecute", a="1")

    assert rules(every, given).refusal(given) == ""
    assert rules(every, given, kind=DaemonType.MGR).refusal(given) == ""


def test_the_part_of_a_kind_replaces_that_of_all():
    given = host("a", mgr="yes")
    every = {"all": affinity(one("mon", "Exists")), "mgr": affinity(one("mgr", "Exists"))}

    assert rules(every, given, kind=DaemonType.MGR).refusal(given) == ""
    assert rules(every, given).refusal(given) == "nodeAffinity asks for mon Exists (it has none)"


def test_a_group_is_a_reason_too():
    found = rules({}, host("a", groups=("mons",)), host("b"))

    assert found.eviction(host("b")) == "it is not in the inventory's group mons"
    assert found.eviction(host("a", groups=("mons",))) == ""


def test_mons_keep_apart_by_zone():
    hosts = [host(name, zone=zone) for name, zone in zip("abcd", "xxyz", strict=True)]
    found = rules({"mon": apart(ZONE)}, *hosts)

    places = placement.choose(3, hosts, load=lambda _: 0, per_host=1, rules=found)

    assert [one.name for one in places] == ["store-a", "store-c", "store-d"]
    text = f"a new mon is in the same {ZONE} (x), and podAntiAffinity keeps them apart"
    assert found.refusal(hosts[1], places) == text


def test_a_daemon_that_wants_to_be_apart_keeps_others_away_too():
    mon = host("a", zone="x", daemons=(facts.mon("a"),))
    asked = {"mon": apart(ZONE, app="rook-ceph-mgr")}
    found = rules(asked, mon, host("b", zone="x"), kind=DaemonType.MGR)

    text = f"mon.a is in the same {ZONE} (x), and its podAntiAffinity keeps them apart"
    assert found.refusal(host("b", zone="x")) == text
    assert found.refusal(host("c", zone="y")) == ""


def test_a_daemon_that_leaves_keeps_nobody_away():
    mon = host("a", zone="x", daemons=(facts.mon("a"),))
    other = host("b", zone="x")

    assert rules({"mon": apart(ZONE)}, mon, other).refusal(other) != ""
    found = rules({"mon": apart(ZONE)}, mon, other, leaving=frozenset({"mon.a"}))
    assert found.refusal(other) == ""


def test_mgrs_go_where_mons_are():
    hosts = [host("a"), host("b", daemons=(facts.mon("a"),)), host("c")]
    asked = {"mgr": apart("kubernetes.io/hostname", side="podAffinity")}
    found = rules(asked, *hosts, kind=DaemonType.MGR)

    places = placement.choose(2, hosts, load=lambda _: 0, per_host=1, rules=found)

    assert [one.name for one in places] == ["store-b"]
    text = "no daemon that podAffinity asks for is in its kubernetes.io/hostname (store-a)"
    assert found.refusal(hosts[0]) == text


def test_the_first_of_a_group_that_wants_to_be_together_may_be_anywhere():
    hosts = [host("a", zone="x"), host("b", zone="y"), host("c", zone="x")]
    asked = {"mgr": apart(ZONE, app="rook-ceph-mgr", side="podAffinity")}
    found = rules(asked, *hosts, kind=DaemonType.MGR)

    places = placement.choose(3, hosts, load=lambda _: 0, per_host=1, rules=found)

    assert [one.name for one in places] == ["store-a", "store-c"]


def test_spreading_counts_each_zone():
    hosts = [host(name, zone=zone) for name, zone in zip("abcde", "xxxyz", strict=True)]
    limit = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    selector = {"labelSelector": {"matchLabels": {"app": "rook-ceph-mon"}}}
    asked = {"mon": {"topologySpreadConstraints": ({**limit, **selector},)}}
    found = rules(asked, *hosts)

    places = placement.choose(5, hosts, load=lambda _: 0, per_host=1, rules=found)

    assert [one.name[-1] for one in places] == ["a", "d", "e", "b"]
    text = f"{ZONE} x would have 2 more than another, and maxSkew is 1"
    assert found.refusal(hosts[2], places) == text


def test_preferences_rank_and_rule_nobody_out():
    hosts = [host("a", "slow:PreferNoSchedule"), host("b"), host("c", disk="nvme", zone="x")]
    liked = affinity(preferred=[(10, one("disk", "In", "nvme")), (90, one(ZONE, "Exists"))])
    found = rules({"mon": liked}, *hosts)

    places = placement.choose(3, hosts, load=lambda _: 0, per_host=1, rules=found)

    assert [one.name[-1] for one in places] == ["c", "b", "a"]
    assert found.scores(hosts) == [0, 300, 500]


def test_of_osds_both_all_and_osd_hold_and_the_preparation_too():
    spec = facts.spec(
        placement={
            "all": affinity(one("storage", "Exists")),
            "osd": affinity(one("disk", "In", "hdd")),
            "prepareosd": affinity(one("ready", "Exists")),
        }
    )
    right = host("a", storage="1", disk="hdd", ready="1")

    assert host_rules.osd_refusal(spec, right) == ""
    assert host_rules.osd_refusal(spec, host("a", disk="hdd", ready="1")) == (
        "placement of osd: nodeAffinity asks for storage Exists (it has none)"
    )
    assert host_rules.osd_refusal(spec, host("a", storage="1", disk="hdd")) == (
        "placement of prepareosd: nodeAffinity asks for ready Exists (it has none)"
    )


def test_hosts_with_one_reason_are_named_together():
    given = [host("a", "x:NoSchedule"), host("b"), host("c", "x:NoSchedule")]

    found = list(host_rules.excluded(rules({}, *given), given))

    text = "no new mon goes to store-a, store-c: nothing tolerates its taint x:NoSchedule"
    assert [(reason.code, reason.message) for reason in found] == [("HostExcluded", text)]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ({}, True),
        ({"namespaces": ("store",)}, True),
        ({"namespaces": ("other",)}, False),
        ({"namespaceSelector": {}}, True),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "store"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, False),
        ({"namespaces": ("store",), "namespaceSelector": {"matchLabels": {"team": "a"}}}, True),
    ],
)
def test_a_term_means_the_daemons_of_its_namespaces(term, expected):
    selector = {"labelSelector": {"matchLabels": {"rook_cluster": "store"}}}
    one_term = {"topologyKey": ZONE, **selector, **term}
    asked = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": (one_term,)}}
    there = host("a", zone="x", daemons=(facts.mon("a"),))
    seen = replace(room(there, host("b", zone="x")), namespace="store")

    found = Rules(spec=facts.spec(placement={"mgr": asked}), facts=seen, kind=DaemonType.MGR)

    assert bool(found.refusal(host("b", zone="x"))) is expected


def test_labels_of_the_manifest_are_labels_of_the_daemons():
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"team": "a"}}}
    asked = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": (term,)}}
    there = host("a", zone="x", daemons=(facts.mon("a"),))
    other = host("b", zone="x")
    spec = facts.spec(placement={"mgr": asked}, labels={"mon": {"team": "a"}})

    found = Rules(spec=spec, facts=room(there, other), kind=DaemonType.MGR)

    assert found.refusal(other) == (
        f"mon.a is in the same {ZONE} (x), and podAntiAffinity keeps them apart"
    )
