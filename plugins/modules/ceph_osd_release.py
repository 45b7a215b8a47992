"""Lets no OSD of an older release into a cluster any more."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd_release
short_description: Let no OSD of an older release into a Ceph cluster
version_added: 0.1.0
description:
  - Ends an upgrade. Once all OSDs run a release, the cluster may use what only that release has,
    and older OSDs cannot come up any more.
  - A cluster that asks for that release or a newer one is left as it is, for there is no way back.
    Ceph itself refuses while an OSD that is up, or a mon, runs an older one.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  release:
    description: The name of the release, such as C(tentacle).
    type: str
    required: true
attributes:
  diff_mode:
    description: It shows the release.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: End the upgrade
  ceph_orchestrator.ceph.ceph_osd_release:
    release: tentacle
"""

RETURN = r"""
release:
  description: The oldest release that OSDs may have now.
  returned: always
  type: str
  sample: tentacle
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster

if TYPE_CHECKING:
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )


def observe(client: CephClient) -> str:
    return str(client.command("osd dump")["require_osd_release"])


def difference(current: str, wanted: str) -> bool:
    """Say whether it rises: the names of Ceph's releases are in the order of the alphabet."""
    return wanted > current


def apply(client: CephClient, release: str) -> None:
    client.command("osd require-osd-release", release=release)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    wanted = str(module.params["release"])
    with cluster.connected(module.params) as client:
        current = observe(client)
        rises = difference(current, wanted)
        if rises and not module.check_mode:
            apply(client, wanted)
    after = wanted if rises else current
    return {"changed": rises, "release": after, "diff": {"before": current, "after": after}}


def main() -> None:
    module = AnsibleModule(
        argument_spec={**cluster.ARGUMENTS, "release": {"type": "str", "required": True}},
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
