"""Documents in the mons' key-value store: `ceph config-key`."""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

if TYPE_CHECKING:
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )


def get(client: CephClient, key: str) -> Any:  # noqa: ANN401 - JSON
    """Give the document, its text when it is not JSON, or None when there is no such key."""
    try:
        return client.command("config-key get", key=key)
    except CephError as error:
        if error.errno == errno.ENOENT:
            return None
        raise


def put(client: CephClient, key: str, document: Any) -> None:  # noqa: ANN401 - JSON
    """Write the document beside the command and not in it, so that no log of commands has it."""
    text = json.dumps(document, sort_keys=True)
    client.command("config-key set", inbuf=text.encode(), key=key)


def exists(client: CephClient, key: str) -> bool:
    try:
        client.command("config-key exists", key=key)
    except CephError as error:
        if error.errno == errno.ENOENT:
            return False
        raise
    return True
