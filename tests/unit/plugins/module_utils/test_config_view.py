import json

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import config_view, owned

MARKER = "hunter2-4711"


def line(name, value, section="osd", mask=""):
    return {"section": section, "mask": mask, "name": name, "value": value}


def shown(one, record=None, secrets=()):
    return config_view.config([one], record, secrets)[0]["value"]


def test_a_plain_value_is_shown():
    assert shown(line("osd_max_backfills", "3")) == "3"


def test_a_secret_by_its_name_by_our_record_or_by_its_value_is_not():
    digest = owned.digest(MARKER)
    record = {"secrets": {"osd/class:ssd": {"x": {"given": digest, "stored": digest}}}}
    assert shown(line("smtp_password", MARKER)) == digest
    assert shown(line("x", MARKER, mask="class:ssd"), record) == digest
    assert shown(line("x", MARKER), None, {digest}) == digest
    assert shown(line("x", "9", mask="class:hdd"), record) == "9"


def test_the_dashboard_tells_its_users_and_no_password():
    seen = {
        "certificate": True,
        "accounts": {"users": {"admin": {"password": "$2b$12$hash"}}},
        "login": {"username": "admin", "password": MARKER},
    }
    found = config_view.dashboard(seen)
    assert found == {"certificate": True, "users": ["admin"], "password": owned.digest(MARKER)}
    assert "$2b" not in json.dumps(found)


def test_a_dashboard_that_has_nothing_yet():
    seen = {"certificate": False, "accounts": None, "login": None}
    assert config_view.dashboard(seen) == {"certificate": False, "users": [], "password": ""}
    assert config_view.dashboard(None) is None


def test_it_is_asked_only_while_it_is_on_and_of_the_mons_alone():
    asked = []

    class Client:
        def command(self, prefix, **arguments):
            asked.append((prefix, arguments["key"]))
            return {"users": {}} if prefix == "config-key get" else ""

    assert config_view.ask_dashboard(Client(), {"modules": ["prometheus"]}) is None
    assert asked == []
    assert config_view.ask_dashboard(Client(), {"modules": ["dashboard"], "active_name": "a"})
    assert asked == [
        ("config-key exists", "mgr/dashboard/crt"),
        ("config-key get", "mgr/dashboard/accessdb_v2"),
        ("config-key get", "ceph-orchestrator/dashboard"),
    ]
