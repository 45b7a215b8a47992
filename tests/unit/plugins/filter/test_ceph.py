import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.filter import ceph


@pytest.mark.parametrize(
    ("index", "name"), [(0, "a"), (25, "z"), (26, "aa"), (27, "ab"), (701, "zz"), (702, "aaa")]
)
def test_letters_count_as_rook_does(index: int, name: str) -> None:
    assert ceph.letter(index) == name


def test_hosts_of_a_group_become_mons_with_letters() -> None:
    members = ceph.mon_members({"store-1": "192.0.2.1", "store-2": "fd00::2"})
    assert [(mon["id"], mon["host"]) for mon in members] == [("a", "store-1"), ("b", "store-2")]
    assert ceph.mon_host(members) == (
        "[v2:192.0.2.1:3300,v1:192.0.2.1:6789],[v2:[fd00::2]:3300,v1:[fd00::2]:6789]"
    )


def test_a_mon_without_address_leaves_no_gap_in_mon_host() -> None:
    members = [{"addrs": "[v2:192.0.2.1:3300]"}, {"addrs": ""}, {"addrs": "[v2:192.0.2.3:3300]"}]
    assert ceph.mon_host(members) == "[v2:192.0.2.1:3300],[v2:192.0.2.3:3300]"


def test_given_mons_keep_their_names() -> None:
    members = ceph.mon_members([{"name": "x", "host": "store-1", "address": "192.0.2.1"}])
    assert members[0]["id"] == "x"


def test_ceph_s_own_addresses_are_taken_as_they_are() -> None:
    seen = [{"name": "a", "addrs": ["v2:192.0.2.1:3300/0", "v1:192.0.2.1:6790/0"]}]
    assert ceph.monmap_arguments(ceph.mon_members(seen)) == [
        "--addv",
        "a",
        "[v2:192.0.2.1:3300/0,v1:192.0.2.1:6790/0]",
    ]


def test_a_description_is_filled_at_any_depth_and_keeps_the_instance_s_record() -> None:
    description = {"type": "mon", "init": [{"argv": ["x", "--id={id}"]}], "settings": {"{id}": 1}}
    made = ceph.daemon_descriptions([{"id": 0, "record": "r"}, {"id": "b"}], description)
    assert made[0] == {
        "type": "mon",
        "id": "0",
        "record": "r",
        "init": [{"argv": ["x", "--id=0"]}],
        "settings": {"0": 1},
    }
    assert made[1]["record"] == ""


def test_a_record_of_the_description_is_each_one_s() -> None:
    made = ceph.daemon_descriptions([{"id": 0}], {"type": "osd", "record": "r"})
    assert made[0]["record"] == "r"


def test_a_keyring_without_a_key_yet_has_an_empty_one() -> None:
    keyrings = [{"entity": "mgr.a", "path": "/a"}, {"entity": "mgr.b", "path": "/b"}]
    with_keys = ceph.with_keys(keyrings, {"mgr.a": "k"})
    assert [keyring["key"] for keyring in with_keys] == ["k", ""]


def test_users_that_must_go() -> None:
    assert ceph.absent_users(["client.x"]) == [{"entity": "client.x", "state": "absent"}]


def test_every_filter_is_known_to_ansible() -> None:
    filters = ceph.FilterModule().filters()
    assert filters["filled"]([{"id": 1}], {"x": "{id}"}) == [{"x": "1"}]
    assert set(filters) >= {"letter", "mon_host", "mon_members", "daemon_descriptions"}


SECRETS = {"dns": {"password": "hunter2", "port": 53, "on": True}}


def test_secrets_are_known_by_their_digests() -> None:
    found = ceph.digests(SECRETS)
    assert found["dns"]["password"].startswith("sha256:f52fbd32b2b3b86f")
    assert found["dns"]["on"] == ceph.digests({"x": {"y": "true"}})["x"]["y"]
    assert ceph.digests({}) == {}


def test_a_setting_gets_the_value_that_it_names() -> None:
    named = {"section": "osd", "name": "x", "secret": {"name": "dns", "key": "port"}}
    told = {"section": "osd", "name": "y", "value": "z"}
    assert ceph.with_secrets([named, told], SECRETS) == [
        {"section": "osd", "name": "x", "secret": True, "value": "53"},
        {"section": "osd", "name": "y", "secret": True, "value": "z"},
    ]


def test_no_secret_is_an_empty_value() -> None:
    assert ceph.secret_value(None, SECRETS) == ""
    assert ceph.secret_value({"name": "dns", "key": "password"}, SECRETS) == "hunter2"


def test_a_restarted_osd_must_boot_after_its_last_boot() -> None:
    osds = [{"id": 26}, {"id": 27}, {"id": 28}]
    found = ceph.booting(osds, ["osd.26", "osd.28"], {"26": 117, "27": 118})
    assert [(osd["id"], osd["booted_after"]) for osd in found] == [(26, 117), (27, -1), (28, -1)]
    assert [osd["booted_after"] for osd in ceph.booting(osds)] == [-1, -1, -1]


def test_an_osd_gets_what_its_class_may_use() -> None:
    classes = {"": {"record": "x"}, "ssd": {"record": "y"}, "nvme": {"record": "z"}}
    osds = [
        {"id": 1, "rotational": True, "device_class": ""},
        {"id": 2, "rotational": False, "device_class": ""},
        {"id": 3, "rotational": True, "device_class": "ssd"},
        {"id": 4, "rotational": False, "device_class": ""},
    ]
    found = ceph.classed(osds, classes, {"4": "nvme"})
    assert [osd["record"] for osd in found] == ["x", "y", "y", "z"]
    assert ceph.classed(osds, {}) == osds


def test_what_a_daemon_says_of_itself_goes_before_its_kind() -> None:
    own = {"id": 1, "record": "r", "resources": {"cpu_limit": 5}, "environment": {"A": "1"}}
    (found,) = ceph.daemon_descriptions([own], {"type": "osd", "environment": {"B": "2"}})
    assert found == {
        "type": "osd",
        "id": "1",
        "record": "r",
        "resources": {"cpu_limit": 5},
        "environment": {"A": "1"},
    }
