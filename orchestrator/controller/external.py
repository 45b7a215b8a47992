"""A cluster made elsewhere: it is connected to and looked at, and nothing of it is deployed.

What leads to it stands in the Secret and the ConfigMap that Rook's import script makes
(ROOK-COMPAT 1 and 2); a restricted user such as client.healthchecker is enough.
"""

from collections.abc import Callable

from orchestrator import status
from orchestrator.ansible import facts as answers
from orchestrator.conditions import Condition
from orchestrator.controller.charge import Charge
from orchestrator.controller.verdict import RESYNC_SECONDS, Ending, Verdict
from orchestrator.model import mon_objects
from orchestrator.model.facts import Cluster, Facts
from orchestrator.model.spec import CephCluster
from orchestrator.stores import StoreError
from orchestrator.stores.kubernetes.connection import CONFIG_MAP, SECRET, Connection, Kind

UNANSWERED = (
    "the external Ceph cluster does not answer: Secret rook-ceph-mon must hold fsid, ceph-username "
    "and ceph-secret (or Secret rook-ceph-operator-creds userID and userKey), ConfigMap "
    "rook-ceph-mon-endpoints the mons, and these must be reachable"
)

IMPORTED: tuple[tuple[Kind, str], ...] = (
    (CONFIG_MAP, mon_objects.ENDPOINTS),
    (CONFIG_MAP, "rook-config-override"),
    (SECRET, mon_objects.SECRET),
    (SECRET, mon_objects.CREDENTIALS),
    (SECRET, "rook-csi-rbd-provisioner"),
    (SECRET, "rook-csi-rbd-node"),
    (SECRET, "rook-csi-cephfs-provisioner"),
    (SECRET, "rook-csi-cephfs-node"),
    (SECRET, "rook-ceph-config"),
)
"""What Rook removes with an external CephCluster (ROOK-COMPAT 8): the way to it, and no data."""

Say = Callable[[Condition], None]


def connected(charge: Charge, cluster: CephCluster, say: Say) -> tuple[Verdict, Cluster | None]:
    """Ask the cluster how it is and say so; gives its answer too, if it came."""
    if charge.statuses.get(charge.key).get("phase") != "Connected":
        say(status.connecting())
    found, why = _asked(charge)
    if found is None:
        say(status.unreached(why))
        return Verdict(ending=Ending.FAILED, backoff=True, text=why), None
    now = charge.world.now()
    facts = Facts(hosts={}, cluster=found)
    charge.statuses.change(
        charge.key,
        lambda before: status.summarise(cluster, facts, status.connected(), before, now),
    )
    return Verdict(ending=Ending.CONVERGED, again=RESYNC_SECONDS), found


def forgotten(connection: Connection, charge: Charge) -> None:
    """Take away what led to the cluster; the cluster itself lives on."""
    charge.world.identities.forget(charge.key)
    for kind, name in IMPORTED:
        connection.delete(kind, charge.key.namespace, name)


def _asked(charge: Charge) -> tuple[Cluster | None, str]:
    try:
        raw = charge.health()
    except (StoreError, OSError, ValueError) as error:
        return None, f"{UNANSWERED} ({error})"
    found = answers.parse_cluster(raw) if raw else None
    return found, "" if found else UNANSWERED
