"""The way of the modules into the cluster: the right one, within a bounded time, or a clear no."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import env_fallback
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ansible.module_utils.basic import AnsibleModule

CONF = "/etc/ceph/ceph.conf"
ADMIN_KEYRING = "/etc/ceph/ceph.client.admin.keyring"
MON_KEYRING = "/etc/ceph/ceph.mon.keyring"

SECONDS = "CEPH_ORCHESTRATOR_COMMAND_SECONDS"

# Options that each module which speaks to the cluster has; documented in doc_fragments/cluster.py.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "fsid": {"type": "str", "default": ""},
    "timeout": {"type": "float", "default": 15.0, "fallback": (env_fallback, [SECONDS])},
}


@contextmanager
def connected(parameters: Mapping[str, Any]) -> Iterator[CephClient]:
    """Connect as client.admin and make sure that this is the cluster that was meant."""
    with CephClient(timeout=parameters["timeout"]) as client:
        wanted, found = parameters["fsid"], fsid_of(client)
        if wanted and wanted != found:
            raise CephError(
                errno.EPERM,
                f"this host's {CONF} leads to the cluster {found}, not to {wanted}: refused",
            )
        yield client


def fsid_of(client: CephClient) -> str:
    answer = client.command("fsid")
    return str(answer["fsid"] if isinstance(answer, dict) else answer).strip()


def is_unknown() -> bool:
    """Say whether this host cannot know any cluster yet: before the mons are made."""
    own = os.environ.get("CEPH_CONF")
    needed = [own] if own else [CONF, ADMIN_KEYRING]
    return not all(Path(path).exists() for path in needed)


def finish(module: AnsibleModule, reconciled: Callable[[AnsibleModule], dict[str, Any]]) -> None:
    """End the module with what `reconciled` gives, or with Ceph's own text and number."""
    try:
        module.exit_json(**reconciled(module))
    except CephError as error:
        module.fail_json(msg=error.message, errno=error.errno)
