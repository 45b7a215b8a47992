"""Which tests may run side by side: those that share a lab run in one process, in their order.

xdist's own groups are no help: xdist 3.8 writes them into ids that pytest 9.2 no longer reads, and
two processes then bring the same lab up.
"""

import re

from xdist.scheduler import LoadScopeScheduling

_NODES = "tests/kubernetes/"
_RELEASE = re.compile(r"\[(ceph\d+)\b")


def lane(nodeid: str) -> str:
    """The lab of a test: that of a release of Ceph, the nodes, or the one of its file."""
    if nodeid.startswith(_NODES):
        return _NODES
    shared = _RELEASE.search(nodeid)
    return shared[1] if shared else nodeid.partition("::")[0]


class Lanes(LoadScopeScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return lane(nodeid)
