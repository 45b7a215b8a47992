"""Sets the dashboard up: a certificate where there is none, and its admin."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_dashboard
short_description: Set the dashboard of a Ceph cluster up
version_added: 0.1.0
description:
  - Makes a self-signed certificate if there is none. An existing one is never replaced.
  - Makes the user, with the role administrator. Without O(password) one is made up here, on the
    host. An existing user keeps the password unless another one is given.
  - The password is kept in the cluster's key-value store, under the key
    C(ceph-orchestrator/dashboard), and is neither in the result nor in any message. Use the module
    with C(no_log) nevertheless, for its argument.
  - A mgr that has just started, or just turned the module on, does not know the commands yet. They
    are given again, a bounded number of times.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  certificate:
    description: Whether the dashboard needs a certificate.
    type: bool
    default: true
  username:
    description: The user.
    type: str
    default: admin
  password:
    description: The user's password. Empty keeps it, or makes one up for a new user.
    type: str
    default: ""
  attempts:
    description: How often a command is given to a mgr that is not ready.
    type: int
    default: 6
  pause:
    description: Seconds between two attempts.
    type: float
    default: 4.0
attributes:
  diff_mode:
    description: There is no difference to show that is no secret.
    support: none
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Set the dashboard up
  ceph_orchestrator.ceph.ceph_dashboard:
    password: "{{ vault_dashboard_password }}"
  no_log: true
"""

RETURN = r"""
changes:
  description: What was made or changed.
  returned: always
  type: list
  elements: str
  sample: [certificate, user]
"""


import errno
import secrets
import string
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    config_keys,
    owned,
    redact,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Tell = Callable[..., None]
    Keep = Callable[[str], None]


_STORE = "mgr/dashboard/"
_LENGTH = 20
_ALPHABET = string.ascii_letters + string.digits
# A command that is not known yet, a module that is not loaded, and silence.
_NOT_READY = (
    errno.EINVAL,
    errno.EOPNOTSUPP,
    errno.EAGAIN,
    errno.ETIMEDOUT,
    errno.ENOTCONN,
    errno.EPIPE,
)


class Seen(NamedTuple):
    """What the mons keep for the dashboard; the mgr is not asked, as it may not answer yet."""

    certificate: bool
    users: frozenset[str]
    password: str


class Wanted(NamedTuple):
    certificate: bool
    username: str
    password: str


def observe(client: CephClient, username: str) -> Seen:
    active = client.command("mgr dump").get("active_name", "")
    keys = (f"{_STORE}crt", f"{_STORE}{active}/crt")
    accounts = config_keys.get(client, f"{_STORE}accessdb_v2") or {}
    login = config_keys.get(client, owned.DASHBOARD) or {}
    return Seen(
        certificate=any(config_keys.exists(client, key) for key in keys),
        users=frozenset(map(str, accounts.get("users") or ())),
        password=str(login.get("password") or "") if login.get("username") == username else "",
    )


def difference(seen: Seen, wanted: Wanted) -> list[str]:
    """Name what is to be done; an existing certificate and a password of others stay."""
    changes = []
    if wanted.certificate and not seen.certificate:
        changes.append("certificate")
    if wanted.username not in seen.users:
        changes.append("user")
    elif wanted.password and wanted.password != seen.password:
        changes.append("password")
    return changes


def made_up() -> str:
    """Make a password of as many characters as Rook's, of a kind that needs no quotes anywhere."""
    return "".join(secrets.choice(_ALPHABET) for _turn in range(_LENGTH))


class Mgr:
    """Gives commands to the active mgr, each over a connection of its own, until it is ready."""

    def __init__(self, module: AnsibleModule) -> None:
        self._parameters = module.params

    def tell(self, prefix: str, inbuf: bytes = b"", **arguments: Any) -> None:  # noqa: ANN401
        attempts = max(1, self._parameters["attempts"])
        refusal = self._refusal(prefix, inbuf, arguments)
        for _turn in range(attempts - 1):
            if refusal is None or refusal.errno not in _NOT_READY:
                break
            time.sleep(self._parameters["pause"])
            refusal = self._refusal(prefix, inbuf, arguments)
        if refusal and refusal.errno in _NOT_READY:
            text = f"the dashboard is not ready: asked {attempts} times; {refusal.message}"
            raise CephError(refusal.errno, text)
        if refusal:
            raise refusal

    def _refusal(self, prefix: str, inbuf: bytes, arguments: dict[str, Any]) -> CephError | None:
        try:
            with cluster.connected(self._parameters) as client:
                client.command(prefix, inbuf=inbuf, target="mgr", **arguments)
        except CephError as error:
            return error
        return None


def apply(
    changes: list[str],
    wanted: Wanted,
    seen: Seen,
    tell: Callable[..., None],
    keep: Callable[..., None],
) -> None:
    """Do what is to be done; `keep` stores a password, before or after the dashboard has it.

    A made-up one is stored first, so that it is never lost; a given one last, so that the record
    never names a password that the dashboard was not told.
    """
    if "certificate" in changes:
        tell("dashboard create-self-signed-cert")
    if "user" not in changes and "password" not in changes:
        return
    password = wanted.password or seen.password or made_up()
    if not wanted.password:
        keep(password)
    inbuf, forced = password.encode(), {"force_password": True}
    if "user" in changes:
        role = {"rolename": "administrator"}
        tell("dashboard ac-user-create", inbuf=inbuf, username=wanted.username, **role, **forced)
    else:
        tell("dashboard ac-user-set-password", inbuf=inbuf, username=wanted.username, **forced)
    if wanted.password:
        keep(password)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    wanted = Wanted(*(module.params[name] for name in Wanted._fields))
    seen = Seen(certificate=False, users=frozenset(), password="")
    if not (module.check_mode and cluster.is_unknown()):
        with cluster.connected(module.params) as client:
            seen = observe(client, wanted.username)
    changes = difference(seen, wanted)
    if changes and not module.check_mode:
        apply(changes, wanted, seen, Mgr(module).tell, lambda text: _keep(module, text))
    return {"changed": bool(changes), "changes": changes}


def _keep(module: AnsibleModule, password: str) -> None:
    login = {"username": module.params["username"], "password": password}
    with cluster.connected(module.params) as client:
        config_keys.put(client, owned.DASHBOARD, login)


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "certificate": {"type": "bool", "default": True},
            "username": {"type": "str", "default": "admin"},
            "password": {"type": "str", "default": "", "no_log": True},
            "attempts": {"type": "int", "default": 6},
            "pause": {"type": "float", "default": 4.0},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_reconciled(module))
    except CephError as error:
        given = module.params["password"]
        text = error.message.replace(given, redact.HIDDEN) if given else error.message
        module.fail_json(msg=text, errno=error.errno)


if __name__ == "__main__":
    main()
