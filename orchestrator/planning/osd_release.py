"""The end of an upgrade: once all OSDs run a release, none of an older one may come up any more.

Rook does it with `require-osd-release` when all OSDs agree (ROOK-COMPAT section 6). Until then the
cluster does without what the new release brings, and Ceph warns of OSD_UPGRADE_FINISHED.
"""

import re
from collections.abc import Iterator, Mapping

from orchestrator.model.facts import Cluster
from orchestrator.model.plan import Action, Change

_RELEASE = re.compile(r"ceph version \S+ \(\S*\) ([a-z]+)\b")


def due(cluster: Cluster | None) -> str:
    """The release to ask for; "" where it is asked for already, or not all run it yet.

    An OSD that is in has data and must be able to come back: one that is down may be an older one.
    The names of Ceph's releases are in the order of the alphabet.
    """
    if cluster is None or not cluster.required_osd_release or "osds" in cluster.unanswered:
        return ""
    found = _releases(cluster, "osd")
    if len(found) != 1 or _releases(cluster, "mon") != found:
        return ""
    if any(osd.in_ and not osd.up for osd in cluster.osds):
        return ""
    release = found.pop()
    return release if release > cluster.required_osd_release else ""


def changes(release: str, cluster: Cluster | None) -> Iterator[Change]:
    if release and cluster:
        reason = (
            f"{release} instead of {cluster.required_osd_release}: all OSDs run it, and no older "
            "one may come up from now on"
        )
        yield Change(action=Action.SET, subject="oldest release of OSDs", reason=reason)


def _releases(cluster: Cluster, kind: str) -> set[str]:
    """The names of the releases that daemons run; a version without one counts as its own."""
    listed = cluster.versions.get(kind)
    texts = [str(text) for text in listed] if isinstance(listed, Mapping) else []
    matches = ((text, _RELEASE.match(text)) for text in texts)
    return {found[1] if found else text for text, found in matches}
