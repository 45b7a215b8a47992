"""Words that the modules which speak to a cluster have in common."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  fsid:
    description:
      - The cluster that is meant.
      - If this host's C(ceph.conf) leads to another one, nothing is done.
      - Empty means whichever cluster the host belongs to.
    type: str
    default: ""
  timeout:
    description:
      - Seconds after which an unreachable cluster is reported.
      - Where it is not given, the environment's C(CEPH_ORCHESTRATOR_COMMAND_SECONDS) counts.
    type: float
    default: 15.0
requirements:
  - python3-rados on the host
notes:
  - Runs on a host that has C(/etc/ceph/ceph.conf) and the keyring of client.admin.
"""
