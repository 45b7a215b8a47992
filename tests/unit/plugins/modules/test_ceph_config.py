import errno

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_config

DUMP = [
    {"section": "global", "mask": "", "name": "mon_cluster_log_file", "value": ""},
    {"section": "mon", "mask": "", "name": "mon_allow_pool_delete", "value": "true"},
    {"section": "osd", "mask": "class:hdd", "name": "osd_max_backfills", "value": "2"},
    {"section": "osd", "mask": "", "name": "osd_memory_target", "value": "4294967296"},
]


def settings(*entries: tuple[str, str, object]) -> list[dict[str, object]]:
    return [{"section": section, "name": name, "value": value} for section, name, value in entries]


def test_equal_settings_in_other_words_change_nothing(run, ceph) -> None:
    ceph.answers["config dump"] = DUMP
    wanted = settings(
        ("global", "mon_cluster_log_file", ""),
        ("mon", "mon allow pool delete", True),
        ("osd/class:hdd", "osd_max_backfills", 2),
        ("osd", "osd_memory_target", "4Gi"),
    )
    assert run(ceph_config, settings=wanted)["changed"] is False
    assert ceph.changes() == []


def test_what_differs_is_set_and_what_must_go_is_removed(run, ceph) -> None:
    ceph.answers["config dump"] = DUMP
    wanted = [
        *settings(("mon", "mon_allow_pool_delete", False), ("global", "log_to_file", "")),
        {"section": "osd", "name": "osd_memory_target", "state": "absent"},
        {"section": "osd", "name": "never_there", "state": "absent"},
    ]
    result = run(ceph_config, settings=wanted)
    assert ceph.changes() == [
        ("config set", {"who": "mon", "name": "mon_allow_pool_delete", "value": "false"}),
        ("config set", {"who": "global", "name": "log_to_file", "value": ""}),
        ("config rm", {"who": "osd", "name": "osd_memory_target"}),
    ]
    assert result["removed"] == [{"section": "osd", "name": "osd_memory_target"}]
    assert result["set"][1] == {"section": "global", "name": "log_to_file", "value": ""}


def test_the_last_of_two_counts(run, ceph) -> None:
    ceph.answers["config dump"] = DUMP
    wanted = settings(("mon", "x", "1"), ("mon", "x", "2"))
    run(ceph_config, settings=wanted)
    assert ceph.changes() == [("config set", {"who": "mon", "name": "x", "value": "2"})]


def test_check_mode_shows_and_does_nothing(run, ceph) -> None:
    ceph.answers["config dump"] = DUMP
    result = run(ceph_config, check=True, settings=settings(("mon", "x", "1")))
    assert result["diff"] == {"before": {}, "after": {"mon x": "1"}}
    assert ceph.changes() == []


def test_nothing_wanted_asks_nothing(run, ceph) -> None:
    assert run(ceph_config, settings=[])["changed"] is False
    assert ceph.sent == []


def test_a_refused_setting_is_named(run, ceph) -> None:
    ceph.answers["config dump"] = DUMP
    ceph.answers["config set"] = CephError(errno.EINVAL, "unrecognized config option 'x'")
    result = run(ceph_config, settings=settings(("mon", "x", "1")))
    assert result["msg"] == "x of mon: unrecognized config option 'x'"


def test_a_value_must_be_given(run, ceph) -> None:
    assert run(ceph_config, settings=[{"section": "mon", "name": "x"}])["failed"]
    assert ceph.sent == []
