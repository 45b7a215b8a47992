"""When another release of Ceph may not be begun with: pods get what the manifest's image holds.

Rook's rule (ROOK-COMPAT section 5): a cluster that is in error is not upgraded, unless the manifest
skips the checks. An upgrade that was begun goes on: mons by their quorum, OSDs by `ok-to-stop`.
"""

import re
from collections.abc import Iterator, Mapping

from orchestrator.model.facts import Cluster, Facts
from orchestrator.model.plan import Reason
from orchestrator.model.spec import CephClusterSpec

HEALTHY = ("HEALTH_OK", "HEALTH_WARN")
_VERSION = re.compile(r"(?:ceph version )?(\d+)\.(\d+)\.(\d+)")
Version = tuple[int, int, int]


def refused(spec: CephClusterSpec, facts: Facts) -> Iterator[Reason]:
    """Why the image of the manifest may not be rolled out to the cluster that runs."""
    cluster, image = facts.cluster, _in_image(facts)
    running = _running(cluster) if cluster else set()
    if cluster is None or image is None or not running or running == {image}:
        return
    newest = max(running)
    if image[0] < newest[0]:
        text = (
            f"the cluster runs Ceph {_text(newest)} and the image of spec.cephVersion holds "
            f"{_text(image)}: Ceph cannot go back to an older release; name an image of "
            f"{newest[0]} or newer"
        )
        yield Reason(code="DowngradeRefused", message=text)
    elif image not in running and not spec.skip_upgrade_checks and _health(cluster) not in HEALTHY:
        text = (
            f"the cluster runs Ceph {_text(newest)} and is not upgraded to {_text(image)} while "
            f"its health is {_health(cluster) or 'not known'}; mend that first, name the image of "
            "before, or set spec.skipUpgradeChecks"
        )
        yield Reason(code="UpgradeRefused", message=text, transient=True)


def _in_image(facts: Facts) -> Version | None:
    """What new pods run; hosts have packages instead, which people upgrade."""
    found = {_version(host.ceph_version) for host in facts.hosts.values() if host.pods}
    known = {one for one in found if one}
    return known.pop() if len(known) == 1 else None


def _running(cluster: Cluster) -> set[Version]:
    overall = cluster.versions.get("overall")
    found = (_version(str(one)) for one in overall) if isinstance(overall, Mapping) else ()
    return {one for one in found if one}


def _version(text: str) -> Version | None:
    found = _VERSION.match(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def _health(cluster: Cluster) -> str:
    health = cluster.status.get("health")
    return str(health.get("status", "")) if isinstance(health, Mapping) else ""
