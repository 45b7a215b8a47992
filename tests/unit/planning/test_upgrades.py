"""Another release of Ceph in the image: when it is rolled out, and when it is not."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.planning import upgrades
from tests.fakes import facts


def running(*versions, health="HEALTH_OK", image="20.2.4", pods=True):
    told = {f"ceph version {one} (0123) tentacle (stable)": 3 for one in versions}
    found = facts.changed(
        facts.healthy(),
        cluster=facts.view(versions={"overall": told}, status={"health": {"status": health}}),
    )
    hosts = (replace(host, pods=pods, ceph_version=image) for host in found.hosts.values())
    return facts.changed(found, *hosts)


def codes(found, **spec):
    return [one.code for one in upgrades.refused(facts.spec(**spec), found)]


@pytest.mark.parametrize(
    ("health", "expected"),
    [
        ("HEALTH_OK", []),
        ("HEALTH_WARN", []),
        ("HEALTH_ERR", ["UpgradeRefused"]),
        ("", ["UpgradeRefused"]),
    ],
)
def test_a_cluster_in_error_is_not_upgraded(health, expected):
    assert codes(running("19.2.3", health=health)) == expected


def test_the_manifest_may_skip_the_checks():
    assert codes(running("19.2.3", health="HEALTH_ERR"), skipUpgradeChecks=True) == []


def test_an_upgrade_that_was_begun_goes_on():
    assert codes(running("19.2.3", "20.2.4", health="HEALTH_ERR")) == []


@pytest.mark.parametrize(
    "found",
    [
        running("20.2.4", health="HEALTH_ERR"),
        running("19.2.3", health="HEALTH_ERR", pods=False),
        running("19.2.3", health="HEALTH_ERR", image=""),
        running(health="HEALTH_ERR"),
        facts.changed(running("19.2.3"), cluster=None),
    ],
)
def test_what_is_no_upgrade_or_not_known_is_not_refused(found):
    assert codes(found) == []


@pytest.mark.parametrize("skip", [True, False])
def test_ceph_never_goes_back_to_an_older_release(skip):
    found = running("20.2.4", "19.2.3", image="19.2.3")
    assert codes(found, skipUpgradeChecks=skip) == ["DowngradeRefused"]
    assert codes(running("20.2.4", image="20.2.1")) == []


def test_a_refused_upgrade_changes_nothing():
    plan = planning.plan(facts.spec(), running("19.2.3", health="HEALTH_ERR"))

    (reason,) = plan.blocked
    assert (plan.steps, reason.code, reason.transient) == ((), "UpgradeRefused", True)
    assert "runs Ceph 19.2.3 and is not upgraded to 20.2.4" in reason.message
    assert "HEALTH_ERR" in reason.message


def test_a_deletion_is_no_upgrade():
    plan = planning.plan(facts.spec(), running("19.2.3", health="HEALTH_ERR"), deleting=True)

    assert "UpgradeRefused" not in [one.code for one in plan.blocked]
