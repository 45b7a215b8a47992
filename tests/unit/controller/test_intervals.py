"""How often Ceph is asked: the environment, then the spec, then Rook's defaults."""

import pytest

from orchestrator.controller.intervals import Intervals, intervals
from tests.fakes.clusters import cluster


def checks(**daemons):
    return cluster(healthCheck={"daemonHealth": daemons}).spec.health_check


def test_rooks_defaults():
    assert intervals(checks(), {}) == Intervals(status=60.0, mon=45.0, osd=60.0)


def test_the_spec_has_its_say():
    wanted = checks(status={"interval": "2m"}, mon={"interval": "30s"}, osd={"interval": "1h"})

    assert intervals(wanted, {}) == Intervals(status=120.0, mon=30.0, osd=3600.0)


def test_the_environment_wins():
    environment = {
        "ROOK_CEPH_STATUS_CHECK_INTERVAL": "10s",
        "ROOK_MON_HEALTHCHECK_INTERVAL": "5s",
    }
    wanted = checks(status={"interval": "2m"}, mon={"interval": "30s"})

    assert intervals(wanted, environment) == Intervals(status=10.0, mon=5.0, osd=60.0)


@pytest.mark.parametrize("text", ["", "soon", "0s", "-5s"])
def test_what_is_no_interval_has_no_say(text):
    environment = {"ROOK_CEPH_STATUS_CHECK_INTERVAL": text}

    assert intervals(checks(status={"interval": "90s"}), environment).status == 90.0


def test_no_interval_is_shorter_than_a_second():
    assert intervals(checks(mon={"interval": "1ms"}), {}).mon == 1.0


def test_a_check_that_is_disabled_is_off_whatever_the_environment_says():
    wanted = checks(status={"disabled": True}, mon={"disabled": True}, osd={"disabled": True})

    assert intervals(wanted, {"ROOK_MON_HEALTHCHECK_INTERVAL": "5s"}) == Intervals(
        status=None, mon=None, osd=None
    )
