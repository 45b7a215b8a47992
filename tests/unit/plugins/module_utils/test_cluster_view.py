import errno
import json
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_client,
    cluster_view,
    monmap,
)

KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="
VIEW = monmap.MonView(
    fsid="0a1b2c3d-1111-4222-8333-444455556666",
    state="leader",
    quorum=(0,),
    members=(monmap.Member(name="a", rank=0, addrs=("v2:10.1.2.3:3300/0",)),),
)
ANSWERS: dict[str, Any] = {
    "status": {"health": {"status": "HEALTH_OK"}},
    "versions": {"mon": {"ceph version 20.2.4": 1}},
    "df": {"stats": {"total_bytes": 5}, "pools": []},
    "osd dump": {
        "osds": [
            {"osd": 0, "uuid": "u0", "up": 1, "in": 1},
            {"osd": 1, "uuid": "u1", "up": 0, "in": 0},
            {"osd": 2, "uuid": "u2", "up": 0, "in": 1},
        ],
        "pools": [{"pool": 1, "crush_rule": 0}, {"pool": 2, "crush_rule": 2}],
        "full_ratio": 0.949999988079071,
        "backfillfull_ratio": 0.8999999761581421,
        "nearfull_ratio": 0.8500000238418579,
        "require_osd_release": "squid",
    },
    "osd crush rule dump": [
        {"rule_id": 0, "steps": [{"op": "take"}, {"op": "chooseleaf_firstn", "type": "host"}]},
        {"rule_id": 1, "steps": [{"op": "take"}, {"op": "chooseleaf_firstn", "type": "osd"}]},
        {
            "rule_id": 2,
            "steps": [
                {"op": "choose_indep", "type": "rack"},
                {"op": "chooseleaf_indep", "type": "host"},
                {"op": "emit"},
            ],
        },
    ],
    "osd tree": {
        "nodes": [
            {"id": -1, "name": "default", "type": "root", "children": [-2]},
            {"id": -2, "name": "ceph-1", "type": "host", "children": [0, 1]},
            {"id": 0, "type": "osd", "device_class": "hdd"},
            {"id": 1, "type": "osd"},
        ],
        "stray": [{"id": 2, "type": "osd", "device_class": "ssd"}],
    },
    "mgr dump": {
        "available": True,
        "active_name": "a",
        "active_addr": "10.1.2.3:6801/2387495",
        "standbys": [{"name": "b"}],
        "modules": ["prometheus", "iostat"],
        "always_on_modules": {"tentacle": ["balancer"], "reef": ["balancer", "crash"]},
        "available_modules": [{"name": "prometheus"}, {"name": "alerts"}],
        "services": {"prometheus": "http://10.1.2.3:9283/"},
    },
    "config dump": [
        {"section": "global", "mask": "", "name": "mon_data_avail_warn", "value": "5"},
        {"section": "mgr", "name": "mgr/dashboard/GRAFANA_API_PASSWORD", "value": "hunter2"},
    ],
    "auth ls": {"auth_dump": [{"entity": "mgr.a", "key": KEY, "caps": {"mon": "profile mgr"}}]},
    "config-key dump": {},
    cluster_view.OWNED: None,
    cluster_view.SPARE: [1],
    cluster_view.GROWN: [{"id": 0, "weight": 0.5, "size": 1.0}],
    "dashboard": None,
}


class Client:
    """A client whose answers are given; an error among them is raised."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def command(self, prefix: str, key: str = "", **asked: Any) -> Any:
        if prefix == "osd df":
            return {"nodes": [{"id": 0, "kb": 1024**3, "crush_weight": 0.5}]}
        if asked:
            return {"safe_to_destroy": [int(one) for one in asked["ids"]]}
        prefix = f"{prefix} {key}".strip() if prefix == "config-key get" else prefix
        self.asked.append(prefix)
        if isinstance(self.answers[prefix], Exception):
            raise self.answers[prefix]
        return self.answers[prefix]


def shaped(**changed: Any) -> tuple[dict[str, Any], list[str]]:
    errors: list[str] = []
    answers = {**ANSWERS, **{name.replace("_", " "): value for name, value in changed.items()}}
    return cluster_view.shape(answers, errors), errors


def test_every_section() -> None:
    sections, errors = shaped()
    assert errors == []
    assert sections["df"] == {"total_bytes": 5, "pools": {}}
    assert sections["mgr"] == {
        "available": True,
        "active": "a",
        "address": "10.1.2.3",
        "standbys": ["b"],
        "services": {"prometheus": "http://10.1.2.3:9283/"},
    }
    assert sections["owned"] == {"settings": {}, "secrets": {}, "mutes": []}
    assert sections["mutes"] == []
    assert sections["dashboard"] is None
    assert sections["mgr_modules"] == {
        "enabled": ["iostat", "prometheus"],
        "always_on": ["balancer", "crash"],
        "available": ["alerts", "prometheus"],
    }
    assert sections["auth"] == [{"entity": "mgr.a", "caps": {"mon": "profile mgr"}}]


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        (
            [{"name": "rbd", "stats": {"objects": 7}}, {"name": "b", "stats": {"objects": 0}}],
            {"rbd": 7},
        ),
        ([{"name": ".mgr", "stats": {"objects": 2}}], {}),
        ([{"name": ".mgr", "stats": None}], {}),
        ([], {}),
    ],
)
def test_pools_are_those_of_users_that_hold_something(pools: Any, expected: dict[str, int]) -> None:
    sections, errors = shaped(df={"stats": {"total_bytes": 5}, "pools": pools})
    assert sections["df"] == {"total_bytes": 5, "pools": expected}
    assert errors == []


@pytest.mark.parametrize(
    "pools",
    [
        [{"name": "rbd", "stats": []}],
        [{"name": "rbd", "stats": {"objects": "many"}}],
        ["odd"],
        [{"stats": {"objects": 1}}],
        [{"name": "x"}],
        "odd",
        None,
    ],
    ids=repr,
)
def test_pools_that_cannot_be_read_are_not_none(pools: Any) -> None:
    sections, errors = shaped(df={"stats": {"total_bytes": 5}, "pools": pools})
    assert sections["df"] == {"total_bytes": 5}
    assert errors == []


def test_osds_know_their_place() -> None:
    sections, _errors = shaped()
    keys = ("id", "uuid", "up", "in", "host", "device_class")
    assert [tuple(one[key] for key in keys) for one in sections["osds"]] == [
        (0, "u0", True, True, "ceph-1", "hdd"),
        (1, "u1", False, False, "ceph-1", ""),
        (2, "u2", False, True, "", "ssd"),
    ]


def test_osds_that_ceph_can_do_without_are_told() -> None:
    assert shaped()[0]["safe_to_destroy"] == [1]
    client, errors = Client(ANSWERS), []
    given = cluster_view.ask(client, errors, 5.0)  # type: ignore[arg-type]
    assert (given[cluster_view.SPARE], errors) == ([1], [])


def test_osds_that_have_grown_are_told() -> None:
    grown = [{"id": 0, "weight": 0.5, "size": 1.0}]
    assert shaped()[0]["grown_osds"] == grown
    client, errors = Client(ANSWERS), []
    given = cluster_view.ask(client, errors, 5.0, grown=True)  # type: ignore[arg-type]
    assert (given[cluster_view.GROWN], errors) == (grown, [])


def test_no_mgr_is_asked_for_what_nobody_needs() -> None:
    client, errors = Client(ANSWERS), []
    assert cluster_view.GROWN not in cluster_view.ask(client, errors, 5.0)  # type: ignore[arg-type]


def test_the_oldest_release_of_osds_is_told() -> None:
    assert shaped()[0]["required_osd_release"] == "squid"


def test_ratios_are_those_that_were_set() -> None:
    found = shaped()[0]["full_ratios"]
    assert found == {"nearfull": 0.85, "backfillfull": 0.9, "full": 0.95}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("[fd00::1]:6801/7", "fd00::1"), (":/0", ""), ("-", ""), (None, ""), ("[::]:0/0", "")],
)
def test_the_active_mgr_has_an_address_or_none(text: str | None, expected: str) -> None:
    sections, errors = shaped(mgr_dump={**ANSWERS["mgr dump"], "active_addr": text})
    assert (sections["mgr"]["address"], errors) == (expected, [])


def test_failure_domains_are_those_of_rules_that_pools_have() -> None:
    assert shaped()[0]["failure_domains"] == ["host", "rack"]
    empty, errors = shaped(osd_dump={**ANSWERS["osd dump"], "pools": []})
    assert (empty["failure_domains"], errors) == ([], [])


def test_no_key_and_no_secret_gets_in() -> None:
    text = json.dumps(shaped()[0])
    assert KEY not in text
    assert '"key"' not in text
    assert "hunter2" not in text


def test_a_secret_can_be_compared_by_its_digest() -> None:
    (plain, secret) = shaped()[0]["config"]
    assert plain["value"] == "5"
    assert secret["value"].startswith("sha256:f52fbd32b2b3b86f")


@pytest.mark.parametrize(
    ("standbys", "expected"),
    [(["b"], ["b"]), ([{"name": "b"}], ["b"]), (None, []), ([], [])],
)
def test_c41_standbys_of_any_build(standbys: Any, expected: list[str]) -> None:
    sections, errors = shaped(mgr_dump={**ANSWERS["mgr dump"], "standbys": standbys})
    assert sections["mgr"]["standbys"] == expected
    assert errors == []


@pytest.mark.parametrize(
    ("command", "answer", "lost"),
    [
        ("status", "not JSON", {"status", "mutes"}),
        ("df", {}, {"df"}),
        (
            "osd dump",
            {"osds": [{"osd": 0}]},
            {"osds", "failure_domains", "full_ratios", "required_osd_release"},
        ),
        ("osd crush rule dump", "x", {"failure_domains"}),
        ("osd tree", [], {"osds", "crush_hosts"}),
        ("mgr dump", "x", {"mgr", "mgr_modules"}),
        ("config dump", {"x": 1}, {"config"}),
        ("auth ls", {"auth_dump": [{"entity": "a"}]}, {"auth"}),
    ],
)
def test_c41_an_odd_answer_costs_its_own_section(command: str, answer: Any, lost: set[str]) -> None:
    sections, errors = shaped(**{command.replace(" ", "_"): answer})
    assert set(cluster_view._SECTIONS) - set(sections) == lost
    assert len(errors) == len(lost)


def test_a_refused_command_is_named_and_the_others_are_asked() -> None:
    answers = {**ANSWERS, "df": ceph_client.CephError(errno.EINVAL, "df: no")}
    client, errors = Client(answers), []
    given = cluster_view.ask(client, errors, 5.0, grown=True)
    assert set(given) == set(ANSWERS) - {"df"}
    assert errors == ["df: no"]


def test_after_a_timeout_nothing_more_is_asked() -> None:
    answers = {**ANSWERS, "df": ceph_client.CephError(errno.ETIMEDOUT, "df: no answer")}
    client, errors = Client(answers), []
    given = cluster_view.ask(client, errors, 5.0)
    assert set(given) == {"status", "versions"}
    assert client.asked == ["status", "versions", "df"]
    assert errors[0] == "df: no answer"
    assert errors[1] == "osd dump: not asked, the cluster is too slow"
    assert len(errors) == 11


def test_no_connection_leaves_what_the_mon_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def __init__(self, name: str, **_settings: object) -> None:
            self.name = name

        def __enter__(self) -> None:
            raise ceph_client.CephError(errno.EACCES, f"no {self.name}")

        def __exit__(self, *_args: object) -> None: ...

    monkeypatch.setattr(ceph_client, "CephClient", Refusing)
    seen = cluster_view.collect(VIEW, 1.0, [("client.admin", "/k"), ("mon.", "/m")])
    assert seen == {
        "fsid": VIEW.fsid,
        "quorum_names": ["a"],
        "mons": [{"name": "a", "rank": 0, "addrs": ["v2:10.1.2.3:3300/0"]}],
        "errors": ["connect: no client.admin", "connect: no mon."],
    }


def test_ten_thousand_osds_are_compact() -> None:
    hosts = [
        {"id": -2 - n, "name": f"ceph-{n}", "type": "host", "children": list(range(n, n + 10))}
        for n in range(0, 10_000, 10)
    ]
    nodes = [{"id": n, "type": "osd", "device_class": "hdd"} for n in range(10_000)]
    dump = {"osds": [{"osd": n, "uuid": "u" * 36, "up": 1, "in": 1} for n in range(10_000)]}
    text = json.dumps(cluster_view.osds(dump, {"nodes": [*hosts, *nodes]}))
    assert len(text) < 130 * 10_000


def test_a_host_is_in_every_bucket_above_it():
    tree = {
        "nodes": [
            {"id": -1, "name": "default", "type": "root", "children": [-3]},
            {"id": -3, "name": "r1", "type": "rack", "children": [-2]},
            {"id": -2, "name": "ceph-1", "type": "host", "children": [0]},
            {"id": -4, "name": "ceph-2", "type": "host", "children": []},
            {"id": 0, "name": "osd.0", "type": "osd"},
        ]
    }

    assert cluster_view.crush_hosts(tree) == {
        "ceph-1": {"rack": "r1", "root": "default"},
        "ceph-2": {},
    }


def test_a_crush_map_that_leads_in_a_circle_is_an_odd_answer_and_no_endless_one():
    tree = {
        "nodes": [
            {"id": -1, "name": "default", "type": "root", "children": [-2]},
            {"id": -2, "name": "store-a", "type": "host", "children": [-1]},
        ]
    }
    errors = []
    assert "crush_hosts" not in cluster_view.shape({"osd tree": tree}, errors)
    assert "crush_hosts: odd answer (ValueError: bucket store-a stands above itself)" in errors
