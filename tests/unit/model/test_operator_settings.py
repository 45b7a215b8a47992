"""Rook's settings of the operator."""

import pytest

from orchestrator.model import operator_settings
from orchestrator.model.operator_settings import OperatorSettings


def test_without_any_all_is_as_usual():
    found = operator_settings.read({})
    assert found == OperatorSettings()
    assert found.command_seconds == 15
    assert found.told == {}
    assert list(operator_settings.doubts({})) == []


def test_what_they_say_is_told_to_those_who_build_objects():
    found = operator_settings.read(
        {
            "ROOK_CEPH_ALLOW_LOOP_DEVICES": "true",
            "ROOK_CEPH_COMMANDS_TIMEOUT_SECONDS": "40",
            "ROOK_ENFORCE_HOST_NETWORK": "true",
            "ROOK_REVISION_HISTORY_LIMIT": "3",
            "ROOK_CUSTOM_HOSTNAME_LABEL": "example.com/machine",
        }
    )
    assert (found.allow_loop_devices, found.command_seconds) == (True, 40)
    assert found.told == {
        "hostnameLabel": "example.com/machine",
        "revisionHistoryLimit": 3,
        "hostNetwork": True,
    }


def test_no_revisions_at_all_is_a_wish_too():
    assert operator_settings.read({"ROOK_REVISION_HISTORY_LIMIT": "0"}).revisions == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ROOK_CEPH_COMMANDS_TIMEOUT_SECONDS", "0"),
        ("ROOK_CEPH_COMMANDS_TIMEOUT_SECONDS", "a while"),
        ("ROOK_REVISION_HISTORY_LIMIT", "-1"),
        ("ROOK_ENFORCE_HOST_NETWORK", "yes"),
        ("ROOK_CEPH_ALLOW_LOOP_DEVICES", "1"),
    ],
)
def test_what_is_not_sensible_counts_as_the_default_and_is_named(name, text):
    assert operator_settings.read({name: text}) == OperatorSettings()
    (doubt,) = operator_settings.doubts({name: text})
    assert doubt.startswith(f"{name} is '{text}'")


@pytest.mark.parametrize("network", [None, {}, {"hostNetwork": True}, {"provider": "multus"}])
def test_the_hosts_network_is_enforced_whatever_the_manifest_says(network):
    raw = {"metadata": {"name": "c"}, "spec": {"network": network, "mon": {"count": 3}}}
    found = OperatorSettings(on_host_network=True).applied(raw)
    assert found["spec"] == {"network": {"provider": "host"}, "mon": {"count": 3}}
    assert raw["spec"]["network"] == network
    assert OperatorSettings().applied(raw) == raw


@pytest.mark.parametrize("own", [False, True])
def test_the_hosts_network_is_enforced_for_kinds_that_have_a_word_of_their_own(own):
    exporter = {"port": 9000, "hostNetwork": own}
    spec = {"mgr": {"count": 2, "hostNetwork": own}, "monitoring": {"exporter": exporter}}
    found = OperatorSettings(on_host_network=True).applied({"spec": spec})
    assert found["spec"] == {
        "mgr": {"count": 2},
        "monitoring": {"exporter": {"port": 9000}},
        "network": {"provider": "host"},
    }
    assert exporter["hostNetwork"] is own


def test_the_hosts_network_is_enforced_on_sections_that_are_null():
    spec = {"mgr": None, "monitoring": {"exporter": None}, "network": None}
    found = OperatorSettings(on_host_network=True).applied({"spec": spec})
    assert found["spec"] == {**spec, "network": {"provider": "host"}}
