import errno

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_mgr_module

from tests.unit.plugins.modules.conftest import Answer

LISTED = {
    "enabled_modules": ["iostat", "restful"],
    "always_on_modules": ["balancer"],
    "disabled_modules": [{"name": "prometheus"}],
}
UNKNOWN = CephError(errno.ENOENT, "all mgr daemons do not support module 'prometheus'")


@pytest.fixture(autouse=True)
def cluster_with_a_mgr(ceph, monkeypatch: pytest.MonkeyPatch) -> None:
    ceph.answers["mgr module ls"] = LISTED
    ceph.answers["mgr stat"] = {"available": True}
    monkeypatch.setattr(ceph_mgr_module, "_PAUSE", 0)


def test_only_what_differs_is_turned(run, ceph) -> None:
    wanted = [
        {"name": "iostat", "enabled": True},
        {"name": "balancer", "enabled": True},
        {"name": "prometheus", "enabled": True},
        {"name": "restful", "enabled": False},
        {"name": "dashboard", "enabled": False},
    ]
    result = run(ceph_mgr_module, modules=wanted)
    assert (result["enabled"], result["disabled"]) == (["prometheus"], ["restful"])
    assert ceph.changes() == [
        ("mgr module enable", {"module": "prometheus"}),
        ("mgr module disable", {"module": "restful"}),
    ]


def test_what_is_on_is_not_turned_on_again(run, ceph) -> None:
    assert run(ceph_mgr_module, modules=[{"name": "iostat"}])["changed"] is False
    assert ceph.changes() == []


def test_before_the_first_mgr_modules_are_forced_on(run, ceph) -> None:
    ceph.answers["mgr stat"] = {"available": False}
    run(ceph_mgr_module, modules=[{"name": "prometheus"}])
    assert ceph.changes() == [("mgr module enable", {"module": "prometheus", "force": True})]


def test_pacific_wants_force_as_a_word(run, ceph) -> None:
    ceph.answers["mgr stat"] = {"available": False}
    refused = CephError(errno.EINVAL, "bad or missing field 'force'")
    ceph.answers["mgr module enable"] = [Answer(refused), Answer("")]
    assert run(ceph_mgr_module, modules=[{"name": "prometheus"}])["changed"]
    assert ceph.changes()[-1][1]["force"] == "--force"


def test_a_mgr_that_does_not_know_its_modules_yet_is_asked_again(run, ceph) -> None:
    ceph.answers["mgr module enable"] = [Answer(UNKNOWN), Answer(UNKNOWN), Answer("")]
    assert run(ceph_mgr_module, modules=[{"name": "prometheus"}])["changed"]
    assert len(ceph.changes()) == 3


def test_and_not_for_ever(run, ceph) -> None:
    ceph.answers["mgr module enable"] = UNKNOWN
    result = run(ceph_mgr_module, modules=[{"name": "prometheus"}], patience=0)
    assert "do not support" in result["msg"]


def test_another_refusal_is_final(run, ceph) -> None:
    ceph.answers["mgr module enable"] = CephError(errno.EACCES, "access denied")
    assert run(ceph_mgr_module, modules=[{"name": "prometheus"}])["msg"] == "access denied"
    assert len(ceph.changes()) == 1


def test_check_mode(run, ceph) -> None:
    result = run(ceph_mgr_module, check=True, modules=[{"name": "prometheus"}])
    assert (result["changed"], ceph.changes()) == (True, [])
