import pytest

from orchestrator.model.spec import CephClusterSpec


def test_an_empty_spec_has_rooks_defaults():
    spec = CephClusterSpec()

    assert spec.mon.count == 3
    assert spec.mgr.count == 1
    assert spec.storage.use_all_devices is None
    assert spec.storage.use_all_nodes is False
    assert spec.monitoring.metrics_disabled is False
    assert spec.dashboard.ssl is False
    assert spec.wait_timeout_for_healthy_osd_in_minutes == 10
    assert spec.health_check.daemon_health.mon.interval == "45s"


@pytest.mark.parametrize(("section", "default"), [("mon", 3), ("mgr", 1)])
def test_a_count_of_zero_is_the_default(section, default):
    spec = CephClusterSpec.model_validate({section: {"count": 0}})

    assert getattr(spec, section).count == default


def test_the_ranges_are_those_of_the_network():
    ranges = {"public": ("192.0.2.0/24",), "cluster": ("2001:db8::/64",)}
    spec = CephClusterSpec.model_validate({"network": {"addressRanges": ranges}})

    assert spec.public_ranges == ("192.0.2.0/24",)
    assert spec.cluster_ranges == ("2001:db8::/64",)
