import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import config_value


@pytest.mark.parametrize(
    ("current", "wanted"),
    [
        ("true", "yes"),
        ("false", "0"),
        ("1073741824", "1Gi"),
        ("1073741824", "1G"),
        ("1000000000", "1G"),
        ("0.050000", ".05"),
        ("0.050000", "0.05"),
        ("600", "10m"),
        ("600", "600s"),
        ("a,b", "a,b"),
    ],
)
def test_ceph_stores_the_one_as_the_other(current: str, wanted: str) -> None:
    assert config_value.same(current, wanted)


@pytest.mark.parametrize(
    ("current", "wanted"),
    [("true", "false"), ("1", "2"), ("1G", "2G"), ("", "0"), ("a", "A"), ("600", "10h")],
)
def test_others_differ(current: str, wanted: str) -> None:
    assert not config_value.same(current, wanted)


def test_values_are_written_as_ceph_writes_them() -> None:
    assert [config_value.text(value) for value in (True, 5, 0.5, "x")] == ["true", "5", "0.5", "x"]
