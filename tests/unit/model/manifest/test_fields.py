import pytest

from orchestrator.model.manifest import fields
from orchestrator.model.spec import CephClusterSpec


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ((), "cephConfig"),
        (("mon",), "externalMonIDs"),
        (("storage", "nodes", 3, "devices", 0), "fullpath"),
        (("placement", "mon"), "nodeAffinity"),
        (("mon", "stretchCluster", "zones", 0, "volumeClaimTemplate", "spec"), "volumeMode"),
    ],
)
def test_fields_are_known_by_their_names_in_the_manifest(path, name):
    assert name in fields.names_at(CephClusterSpec, path)


@pytest.mark.parametrize(
    "path", [("cephConfig",), ("mon", "count"), ("nothing", "here"), ("mon", 0)]
)
def test_elsewhere_there_are_none(path):
    assert fields.names_at(CephClusterSpec, path) == ()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("deviceFiltre", "deviceFilter"),
        ("devicefilter", "deviceFilter"),
        ("device_filter", "deviceFilter"),
        ("zzz", ""),
    ],
)
def test_the_field_that_was_meant_is_proposed(name, near):
    assert fields.closest(name, ("deviceFilter", "devices", "config")) == near
