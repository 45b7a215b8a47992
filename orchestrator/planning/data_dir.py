"""Where the mons of a cluster in Kubernetes keep their data: that is said once, for its life.

Rook's CustomResourceDefinition refuses another `dataDirHostPath` where the server checks such rules
(ROOK-COMPAT section 0). Without that, mons would begin anew in empty folders, one after the other.
"""

import posixpath
from collections.abc import Iterator

from orchestrator.model.facts import Facts
from orchestrator.model.plan import Reason
from orchestrator.model.spec import CephClusterSpec

DEFAULT = "/var/lib/rook"


def refused(spec: CephClusterSpec, facts: Facts) -> Iterator[Reason]:
    """Why nothing is done: the manifest names another folder than mons have."""
    wanted = posixpath.normpath(spec.data_dir_host_path or DEFAULT)
    held = {posixpath.normpath(one) for host in facts.hosts.values() for one in host.data_dirs}
    others = sorted(held - {wanted})
    if others:
        text = (
            f"spec.dataDirHostPath is {wanted}, and mons keep their data below "
            f"{', '.join(others)}: it cannot be changed; write {others[0]} again"
        )
        yield Reason(code="DataDirChanged", message=text)
