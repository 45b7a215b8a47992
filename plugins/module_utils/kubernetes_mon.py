"""A mon as Rook runs it in Kubernetes: its Service, by which it is known, and its Deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_pod,
    kubernetes_scheduling,
    mon_election,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

KEYRING = "rook-ceph-mons-keyring"
MSGR2, MSGR1 = 3300, 6789
_DATA = "ceph-daemon-data"
_FIVE = 5
REFUSED = 77
"""What an init step ends with when it will never succeed: its words say what a person must do."""

# Ceph takes a store whose making was cut off for a whole one, so it is made beside its place. One
# that is there already must be this cluster's: by its key, or else, for keys may be rotated, by the
# map in it, which is read from a copy, since to open a store is to write to it.
#
# Mons that know one another by address alone change their ranks while they elect for the first
# time, and each change costs them an election that nobody wins. So a new one gets a map with all
# names, if their addresses are known.
_MKFS = """set -eu
data=$1 fsid=$2 where=$3 keyring=$4 mon=$5 wait=$6; shift 6
key() { ceph-authtool "$1" --name=mon. --print-key 2>/dev/null || true; }
if [ -d "$data/store.db" ]; then
  [ "$(key "$data/keyring")" != "$(key "$keyring")" ] || exit 0
  copy=$(mktemp -d)
  cp -a "$data/store.db" "$data/kv_backend" "$copy" || true
  ceph-mon --id=any --mon-data="$copy" --extract-monmap="$copy/map" >/dev/null 2>&1 || true
  held=$(monmaptool --print "$copy/map" 2>/dev/null | sed -n 's/^fsid //p')
  rm -rf "$copy"
  [ "$held" != "$fsid" ] || exit 0
  echo "$where of this node holds the store of a mon of another Ceph cluster," \\
    "${held:-which never had a quorum}; nothing of it was touched. To go on with that" \\
    "cluster, restore its Secret rook-ceph-mon and its ConfigMap rook-ceph-mon-endpoints;" \\
    "if it is of no use any more, move the folder away"
  exit REFUSED
fi
map=$(mktemp -d)
echo "$ROOK_CEPH_MON_INITIAL_MEMBERS" | tr , '\\n' > "$map/names"
echo "$ROOK_CEPH_MON_HOST" | sed 's/],\\[/]\\n[/g' > "$map/addresses"
paste -d ' ' "$map/names" "$map/addresses" > "$map/mons"
if [ "$(wc -l < "$map/names")" = "$(wc -l < "$map/addresses")" ] && grep -q "^$mon \\[" "$map/mons"
then
  monmaptool --create --fsid "$fsid" $(sed 's/^/--addv /' "$map/mons") "$map/map"
  chmod -R a+rX "$map"
  set -- "$@" --monmap="$map/map"
fi
rm -rf "$data/.mkfs"
install -d -o ceph -g ceph "$data/.mkfs"
ceph-mon "$@" --mkfs --mon-data="$data/.mkfs"
for one in "$data"/.mkfs/*; do [ "${one##*/}" = store.db ] || mv -f "$one" "$data"; done
mv "$data/.mkfs/store.db" "$data"
rmdir "$data/.mkfs"
[ ! -e "$map/map" ] || bash -c "$wait" lowest-last "$mon" "$map/map" SECONDS
""".replace("REFUSED", str(REFUSED)).replace("SECONDS", str(mon_election.SECONDS))


def service(cluster: Cluster, mon: str, cluster_ip: str = "") -> Object:
    """Give the Service whose ClusterIP the mon is known by, the same again when it was lost."""
    old = [] if cluster.msgr2_only else [_port("tcp-msgr1", MSGR1)]
    labels = {**kubernetes_cluster.labels(cluster, "mon", mon), "mon_daemon": "true"}
    name = kubernetes_cluster.deployment_name("mon", mon)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": cluster.metadata(name, labels, controller=False),
        "spec": {
            "selector": kubernetes_cluster.selector(cluster, "mon", mon),
            "ports": [*old, _port("tcp-msgr2", MSGR2)],
            "publishNotReadyAddresses": True,
            **({"clusterIP": cluster_ip} if cluster_ip else {}),
        },
    }


def _port(name: str, number: int) -> Object:
    return {"name": name, "port": number, "targetPort": number, "protocol": "TCP"}


def deployment(
    cluster: Cluster, daemon: Mapping[str, Any], fsid: str, address: str, node: str
) -> Object:
    """Give the Deployment of a mon that lives on one node, where its store is."""
    mon = str(daemon["id"])
    data = f"/var/lib/ceph/mon/ceph-{mon}"
    mounted = [*kubernetes_pod.mounts(KEYRING), {"name": _DATA, "mountPath": data}]
    arguments = _arguments(cluster, mon, fsid, address)
    home = f"{cluster.data_dir}/mon-{mon}"
    pod = {
        **kubernetes_scheduling.placement(cluster, "mon"),
        **kubernetes_pod.network(cluster),
        **kubernetes_scheduling.priority(cluster, "mon"),
        "serviceAccountName": "rook-ceph-default",
        "nodeSelector": {cluster.hostname_label: node},
        "initContainers": [
            kubernetes_pod.chown(cluster, mounted, [data]),
            {
                **kubernetes_pod.container(cluster, "init-mon-fs", mounted),
                "command": ["sh", "-c", _MKFS, "init-mon-fs"],
                "args": [
                    *(data, fsid, home, kubernetes_pod.KEYRING, mon, mon_election.LOWEST_LAST),
                    *arguments,
                    f"--public-addr={address}",
                ],
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "resources": kubernetes_pod.resources(cluster, "mon"),
            },
        ],
        "containers": [
            {
                **kubernetes_pod.container(cluster, "mon", mounted),
                "command": ["ceph-mon"],
                "args": [*arguments, "--foreground", *_addresses(cluster, address), _match(data)],
                "ports": _ports(cluster),
                "resources": kubernetes_pod.resources(cluster, "mon"),
                **kubernetes_pod.probes(cluster, "mon", mon),
            },
            *kubernetes_pod.log_collector(cluster, "mon", mon, mounted),
        ],
        "volumes": [
            *kubernetes_pod.volumes(cluster, KEYRING),
            kubernetes_pod.host_path(_DATA, f"{home}/data"),
        ],
    }
    alone = not cluster.section("mon").get("allowMultiplePerNode")
    return kubernetes_pod.deployment(
        cluster,
        "mon",
        mon,
        pod=kubernetes_scheduling.apart(cluster, pod, "mon", required=alone),
        record=str(daemon.get("record") or ""),
        labels={"mon_cluster": cluster.namespace, "mon_daemon": "true"},
    )


def _arguments(cluster: Cluster, mon: str, fsid: str, address: str) -> list[str]:
    family = ["--ms-bind-ipv4=false", "--ms-bind-ipv6=true"] if ":" in address else []
    return [
        f"--fsid={fsid}",
        f"--keyring={kubernetes_pod.KEYRING}",
        *kubernetes_pod.arguments(cluster),
        f"--id={mon}",
        "--setuser=ceph",
        "--setgroup=ceph",
        *(family if not cluster.section("network").get("dualStack") else []),
    ]


def _addresses(cluster: Cluster, address: str) -> list[str]:
    """On the pods' network the mon is known by its Service and listens at its pod's address."""
    inside = [] if cluster.host_network else ["--public-bind-addr=$(ROOK_POD_IP)"]
    return [f"--public-addr={address}", *inside]


def _match(data: str) -> str:
    return f"--setuser-match-path={data}/store.db"


def _ports(cluster: Cluster) -> list[Object]:
    old = [] if cluster.msgr2_only else [("tcp-msgr1", MSGR1)]
    ports = [*old, ("tcp-msgr2", MSGR2)]
    return [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in ports]


def budget(cluster: Cluster, version: str, count: int) -> Object | None:
    """Give the budget that keeps drains from the quorum, where the manifest asks for budgets."""
    managed = cluster.section("disruptionManagement").get("managePodBudgets")
    if not managed or count <= 2:  # noqa: PLR2004 - two mons can lose none
        return None
    return disruption_budget(cluster, version, "mon", 2 if count >= _FIVE else 1)


def disruption_budget(cluster: Cluster, version: str, kind: str, lost: int) -> Object:
    name = "rook-ceph-osd" if kind == "osd" else f"rook-ceph-{kind}-pdb"
    labels = {"app": kubernetes_cluster.app(kind), "rook_cluster": cluster.namespace}
    return {
        "apiVersion": version,
        "kind": "PodDisruptionBudget",
        "metadata": cluster.metadata(name),
        "spec": {
            "maxUnavailable": lost,
            "selector": {"matchLabels": labels if kind != "osd" else {"app": labels["app"]}},
        },
    }
