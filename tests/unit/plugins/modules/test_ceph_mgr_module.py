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
    ceph.answers["mgr dump"] = {"available": True, "active_gid": 1}
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
    ceph.answers["mgr dump"] = {"available": False}
    run(ceph_mgr_module, modules=[{"name": "prometheus"}])
    assert ceph.changes() == [("mgr module enable", {"module": "prometheus", "force": True})]


@pytest.mark.parametrize(
    ("available", "wanted"),
    [(False, {"name": "prometheus"}), (True, {"name": "iostat", "restart": True})],
)
def test_pacific_wants_force_as_a_word(run, ceph, available, wanted) -> None:
    ceph.answers["mgr dump"] = {"available": available}
    refused = CephError(errno.EINVAL, "bad or missing field 'force'")
    ceph.answers["mgr module enable"] = [Answer(refused), Answer("")]
    assert run(ceph_mgr_module, modules=[wanted])["changed"]
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


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceph_mgr_module, "_MOVING_SECONDS", 0)


SERVING = {"available": True, "active_gid": 1, "services": {"iostat": "http://10.0.0.1:9283/"}}


@pytest.mark.parametrize(
    ("url", "place", "restarts"),
    [
        ("http://10.0.0.1:9283/", {"port": 9283}, False),
        ("http://10.0.0.1:9283/", {"port": "9283"}, False),
        ("http://10.0.0.1:9283/", {"port": 9284}, True),
        ("http://[2001:db8::1]:9283/", {"port": 9283}, False),
        ("https://10.0.0.1:8443/ceph/", {"port": 8443, "scheme": "https", "path": "/ceph/"}, False),
        ("https://10.0.0.1:8443/", {"port": 8443, "scheme": "https", "path": "/ceph/"}, True),
        ("http://10.0.0.1:8443/", {"port": 8443, "scheme": "https"}, True),
        ("", {"port": 8443}, False),
        ("http://10.0.0.1:9283/", {}, False),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_a_module_that_serves_elsewhere_starts_anew(run, ceph, url, place, restarts) -> None:
    ceph.answers["mgr dump"] = {**SERVING, "services": {"iostat": url} if url else {}}
    result = run(ceph_mgr_module, modules=[{"name": "iostat", "serves": place}])
    assert result["restarted"] == (["iostat"] if restarts else [])
    assert [prefix for prefix, _ in ceph.changes()] == (
        ["mgr module disable", "mgr module enable"] if restarts else []
    )


def test_a_module_that_moves_by_itself_is_left_alone(run, ceph) -> None:
    moved = {**SERVING, "services": {"iostat": "http://10.0.0.1:9999/"}}
    ceph.answers["mgr dump"] = [Answer(SERVING), Answer(SERVING), Answer(moved)]
    wanted = [{"name": "iostat", "serves": {"port": 9999}}]
    assert run(ceph_mgr_module, modules=wanted)["changed"] is False


def test_it_is_turned_on_again_when_the_mgr_has_noticed(run, ceph) -> None:
    gone, silent = Answer({"available": False}), Answer({"available": True, "active_gid": 2})
    ceph.answers["mgr dump"] = [
        Answer(SERVING),
        Answer(SERVING),
        gone,
        gone,
        silent,
        Answer(SERVING),
    ]
    run(ceph_mgr_module, modules=[{"name": "iostat", "restart": True}])
    sent = [prefix for prefix, _ in ceph.sent if prefix != "mgr module ls"]
    until_noticed, until_back = ["mgr dump"] * 2, ["mgr dump"] * 3
    turned = ["mgr module disable", *until_noticed, "mgr module enable"]
    assert sent == ["mgr dump", *turned, *until_back]


def test_a_module_that_does_not_come_back_is_not_waited_for_for_ever(run, ceph) -> None:
    ceph.answers["mgr dump"] = [Answer(SERVING), Answer({"available": False})]
    wanted = [{"name": "iostat", "restart": True}]
    assert run(ceph_mgr_module, modules=wanted, patience=0.05)["restarted"] == ["iostat"]


def test_nothing_is_restarted_while_no_mgr_is_active_or_the_module_is_off(run, ceph) -> None:
    ceph.answers["mgr dump"] = {"available": False}
    modules = [{"name": "iostat", "restart": True}]
    assert run(ceph_mgr_module, modules=modules)["changed"] is False
    ceph.answers["mgr dump"] = SERVING
    modules = [{"name": "dashboard", "restart": True, "enabled": False}]
    assert run(ceph_mgr_module, modules=modules)["changed"] is False
