"""Users that a preparation of OSDs makes for its own time, when it was cut before it removed them.

`client.bootstrap-osd` may belong to whoever made the cluster; beside our own user it is ours, since
both are made at once and ours is removed last.
"""

from collections.abc import Iterator, Sequence

from orchestrator.model.plan import Action, Change, ConfigStep, OsdStep
from orchestrator.planning.context import Context

OURS = "client.ceph-orchestrator-osd"
SHORT_LIVED = ("client.bootstrap-osd", OURS)
"""In the order in which they are removed."""


def steps(context: Context, osd_steps: Sequence[OsdStep]) -> Iterator[ConfigStep]:
    """A step that removes them, unless OSDs are to be made now: that ends with it anyway."""
    cluster = context.facts.cluster
    if cluster is None or any(host.devices for step in osd_steps for host in step.hosts):
        return
    users = {one.entity for one in cluster.auth}
    if OURS not in users:
        return
    left = tuple(user for user in SHORT_LIVED if user in users)
    yield ConfigStep(
        changes=tuple(_change(user) for user in left),
        fsid=context.fsid,
        mons=context.mons,
        admin_host=context.admin_host,
        settings=(),
        removed_users=left,
    )


def _change(user: str) -> Change:
    reason = "a preparation of OSDs that was cut off left it"
    return Change(action=Action.REMOVE, subject=f"user {user}", reason=reason)
