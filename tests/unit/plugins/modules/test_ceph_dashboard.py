"""CASES C33: the commands of a dashboard that was just turned on are not known for a while."""

import errno
import json

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_dashboard

from tests.unit.plugins.modules.conftest import Answer

CERTIFICATE = "dashboard create-self-signed-cert"
CREATE, CHANGE = "dashboard ac-user-create", "dashboard ac-user-set-password"
UNKNOWN = CephError(errno.EINVAL, "no valid command found")
SILENT = CephError(errno.ETIMEDOUT, "the cluster did not answer within 15 s")
ABSENT = CephError(errno.ENOENT, "no such key")
MARKER = "hunter2-4711"


@pytest.fixture
def dashboard(ceph):
    """A dashboard with what its argument says; gives the commands that were sent."""

    def make(*, certificate=False, users=(), password=""):
        login = {"username": "admin", "password": password} if password else ABSENT
        keys = {
            "mgr/dashboard/accessdb_v2": {"users": {name: {} for name in users}},
            "ceph-orchestrator/dashboard": login,
        }
        ceph.answers |= {
            "mgr dump": {"active_name": "a"},
            "config-key exists": lambda key: (
                "" if certificate and key == "mgr/dashboard/crt" else ABSENT
            ),
            "config-key get": lambda key: keys[key],
        }

    return make


def told(ceph):
    return [prefix for prefix, _ in ceph.changes()]


def password(ceph, prefix):
    return next(arguments["inbuf"].decode() for name, arguments in ceph.sent if name == prefix)


@pytest.mark.parametrize("first", [UNKNOWN, SILENT], ids=["unknown", "hanging"])
def test_c33_a_command_that_is_not_known_yet_is_given_again(run, ceph, dashboard, first) -> None:
    dashboard(users=["admin"])
    ceph.answers[CERTIFICATE] = [Answer(first), Answer(first), Answer("")]
    assert run(ceph_dashboard, pause=0)["changes"] == ["certificate"]
    assert told(ceph) == [CERTIFICATE] * 3


def test_c33_another_refusal_is_final_and_told(run, ceph, dashboard) -> None:
    dashboard(users=["admin"])
    ceph.answers[CERTIFICATE] = CephError(errno.EACCES, "access denied")
    assert run(ceph_dashboard, pause=0)["msg"] == "access denied"
    assert told(ceph) == [CERTIFICATE]


def test_c33_it_is_not_tried_for_ever(run, ceph, dashboard) -> None:
    dashboard(users=["admin"])
    ceph.answers[CERTIFICATE] = UNKNOWN
    result = run(ceph_dashboard, pause=0, attempts=5)
    assert result["msg"] == ("the dashboard is not ready: asked 5 times; no valid command found")
    assert told(ceph) == [CERTIFICATE] * 5


def test_c33_an_existing_certificate_is_never_replaced(run, ceph, dashboard) -> None:
    dashboard(certificate=True, users=["admin"])
    assert run(ceph_dashboard)["changed"] is False
    assert told(ceph) == []


def test_without_ssl_no_certificate_is_made(run, ceph, dashboard) -> None:
    dashboard(users=["admin"])
    assert run(ceph_dashboard, certificate=False)["changed"] is False
    assert told(ceph) == []


def test_a_made_up_password_is_stored_before_the_user_has_it(run, ceph, dashboard) -> None:
    dashboard(certificate=True)
    result = run(ceph_dashboard)
    assert told(ceph) == ["config-key set", CREATE]
    made_up = password(ceph, CREATE)
    assert len(made_up) == 20
    assert json.loads(password(ceph, "config-key set")) == {
        "username": "admin",
        "password": made_up,
    }
    assert made_up not in json.dumps(result)


def test_a_user_that_was_not_made_after_all_gets_the_stored_password(run, ceph, dashboard) -> None:
    dashboard(certificate=True, password=MARKER)
    run(ceph_dashboard)
    assert password(ceph, CREATE) == MARKER


def test_a_given_password_is_stored_once_the_user_has_it(run, ceph, dashboard) -> None:
    dashboard(certificate=True)
    run(ceph_dashboard, password=MARKER)
    assert told(ceph) == [CREATE, "config-key set"]
    assert password(ceph, CREATE) == MARKER


def test_another_password_is_set_and_the_same_is_not(run, ceph, dashboard) -> None:
    dashboard(certificate=True, users=["admin"], password=f"{MARKER}-old")
    assert run(ceph_dashboard, password=MARKER)["changes"] == ["password"]
    assert told(ceph) == [CHANGE, "config-key set"]
    dashboard(certificate=True, users=["admin"], password=MARKER)
    assert run(ceph_dashboard, password=MARKER)["changed"] is False


def test_an_admin_of_others_keeps_the_password(run, ceph, dashboard) -> None:
    dashboard(certificate=True, users=["admin"])
    assert run(ceph_dashboard)["changed"] is False


def test_a_password_is_in_no_command_and_no_message(run, ceph, dashboard) -> None:
    dashboard(certificate=True)
    ceph.answers[CREATE] = CephError(errno.EPERM, f"'{MARKER}' will not do")
    result = run(ceph_dashboard, password=MARKER)
    assert result["msg"] == "'********' will not do"
    for _, arguments in ceph.sent:
        assert MARKER not in str({**arguments, "inbuf": ""})


def test_check_mode(run, ceph, dashboard) -> None:
    dashboard()
    assert run(ceph_dashboard, check=True)["changes"] == ["certificate", "user"]
    assert told(ceph) == []
