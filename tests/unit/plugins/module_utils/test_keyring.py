import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import keyring, program

KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="


def test_what_is_rendered_is_read_again() -> None:
    text = keyring.render("mon.", KEY, {"mon": "allow *"}) + keyring.render("client.admin", "x==")
    assert keyring.key_of(text, "mon.") == KEY
    assert keyring.key_of(text, "client.admin") == "x=="
    assert keyring.key_of(text, "mgr.a") == ""
    assert '\tcaps mon = "allow *"\n' in text


def test_a_key_is_made_by_ceph_of_the_kind_that_it_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "run", lambda argv, _seconds: f"{argv[0]}'s key\n")
    assert keyring.new_key() == "ceph-authtool's key"
