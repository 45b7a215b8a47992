"""Options of the mon store: what is wanted, what differs, and what is left alone."""

import pytest

from orchestrator.model.facts import Setting
from orchestrator.planning import config
from tests.fakes import facts

NETWORKS = {"addressRanges": {"public": ["192.0.2.0/24", "198.51.100.0/24"]}}


def settings(found):
    return [(setting.section, setting.name, setting.value) for setting in found]


def planned(ceph_config, *present, **view):
    seen = facts.changed(facts.healthy(), cluster=facts.view(config=present, **view))
    return list(config.steps(facts.context(seen, cephConfig=ceph_config)))


def test_networks_and_ceph_config_are_wanted_and_ceph_config_wins():
    spec = facts.spec(
        network=NETWORKS,
        cephConfig={
            "osd": {"osd memory-target": "4G"},
            "global": {"public_network": "10.0.0.0/8"},
        },
    )

    assert settings(config.wanted(spec)) == [
        ("global", "public_network", "10.0.0.0/8"),
        ("osd", "osd_memory_target", "4G"),
    ]


def test_a_new_cluster_begins_with_rooks_defaults_under_the_manifests_own():
    spec = facts.spec(network=NETWORKS, cephConfig={"global": {"mon_allow_pool_size_one": "false"}})

    assert settings(config.for_new_cluster(spec)) == [
        ("global", "auth_allow_insecure_global_id_reclaim", "false"),
        ("global", "mon_allow_pool_delete", "true"),
        ("global", "mon_allow_pool_size_one", "false"),
        ("global", "public_network", "192.0.2.0/24,198.51.100.0/24"),
    ]


def test_a_living_cluster_is_not_given_rooks_defaults():
    assert planned({}) == []


def test_what_differs_is_set_in_one_step_with_both_values():
    present = (
        Setting(section="mon", name="mon_data_avail_warn", value="30"),
        Setting(section="osd", name="osd_memory_target", value="4294967296"),
        Setting(section="osd", name="osd_max_backfills", value="1", mask="class:ssd"),
    )
    wanted = {
        "mon": {"mon_data_avail_warn": "5"},
        "osd": {"osd_memory_target": "4G"},
        "osd/class:ssd": {"osd_max_backfills": "1"},
        "mgr": {"mgr/balancer/mode": "upmap"},
    }

    (step,) = planned(wanted, *present)

    assert settings(step.settings) == [
        ("mgr", "mgr/balancer/mode", "upmap"),
        ("mon", "mon_data_avail_warn", "5"),
    ]
    assert [(one.action, one.subject, one.reason) for one in step.changes] == [
        ("set", "config mgr/mgr/balancer/mode", "upmap instead of nothing"),
        ("set", "config mon/mon_data_avail_warn", "5 instead of 30"),
    ]
    assert step.admin_host == "store-a"


def test_a_secret_is_compared_by_its_digest_and_never_shown():
    old = Setting(section="client", name="rgw_keystone_admin_password", value=f"sha256:{'0' * 64}")

    (step,) = planned({"client": {"rgw_keystone_admin_password": "hunter2"}}, old)

    assert step.changes[0].reason == "sha256:f52fbd32b2b3 instead of sha256:000000000000"
    assert step.settings[0].value == "hunter2"


@pytest.mark.parametrize("cluster", [None, facts.view(unanswered=("config",))])
def test_settings_that_are_not_known_are_not_set(cluster):
    seen = facts.changed(facts.healthy(), cluster=cluster)
    context = facts.context(seen, cephConfig={"mon": {"mon_data_avail_warn": "5"}})

    assert list(config.steps(context)) == []
