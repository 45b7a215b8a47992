"""Daemons as the pods that Rook would make of them: what affinities between pods select.

Selectors in `spec.placement` are written for Rook's labels (ROOK-COMPAT section 4), so daemons on
hosts are given the same ones.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.kube import LabelSelector, Placement, PodAffinityTerm
from orchestrator.planning import placing
from orchestrator.planning.label_selectors import Labels, selects

HOSTNAME = "kubernetes.io/hostname"
NAMESPACE_NAME = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A daemon with its labels and placement; `name` is for people."""

    name: str
    labels: Labels
    placement: Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A pod on its host."""

    pod: Pod
    host: Host


def node_labels(host: Host) -> dict[str, str]:
    """Labels of a host with those that every node of Kubernetes has."""
    implied = {HOSTNAME: str(host.name), "kubernetes.io/os": "linux"}
    return {**implied, **host.labels}


def pod(spec: CephClusterSpec, kind: DaemonType, daemon_id: str, namespace: str) -> Pod:
    """The pod of a daemon; one without an id is still to be made, and its id is not known yet."""
    return Pod(
        name=f"{kind}.{daemon_id}" if daemon_id else f"a new {kind}",
        labels={
            **_common(kind, namespace),
            **(_own(kind, daemon_id) if daemon_id else {}),
            **spec.labels.get(placing.ALL, {}),
            **spec.labels.get(str(kind), {}),
        },
        placement=placing.of(spec, kind),
    )


def _common(kind: DaemonType, namespace: str) -> dict[str, str]:
    mon = {"mon_cluster": namespace, "mon_daemon": "true"} if kind is DaemonType.MON else {}
    return {
        "app": f"rook-ceph-{kind}",
        "rook_cluster": namespace,
        "ceph_daemon_type": str(kind),
        "app.kubernetes.io/name": f"ceph-{kind}",
        "app.kubernetes.io/component": "cephclusters.ceph.rook.io",
        "app.kubernetes.io/created-by": "rook-ceph-operator",
        "app.kubernetes.io/managed-by": "rook-ceph-operator",
        **mon,
    }


def _own(kind: DaemonType, daemon_id: str) -> dict[str, str]:
    extra = {DaemonType.MGR: "instance", DaemonType.OSD: "ceph-osd-id"}
    names = ("ceph_daemon_id", "app.kubernetes.io/instance", str(kind))
    return dict.fromkeys((*names, *([extra[kind]] if kind in extra else [])), daemon_id)


def present(
    spec: CephClusterSpec, facts: Facts, namespace: str, leaving: Collection[str] = ()
) -> Iterator[Placed]:
    """All daemons of the hosts but those that are to go, named like `mon.a`."""
    for host in facts.hosts.values():
        for daemon in host.daemons:
            if daemon.name not in leaving and (daemon.data or daemon.running or daemon.record):
                one = pod(spec, daemon.type, daemon.id, namespace)
                yield Placed(pod=one, host=host)


def term_takes(term: PodAffinityTerm, of: Pod, other: Pod, namespace: str) -> bool:
    """Whether a term of the pod `of` means the pod `other`; all of ours are in one namespace."""
    return _in_namespace(term, namespace) and selects(
        with_label_keys(term.label_selector, of.labels, term), other.labels
    )


def with_label_keys(
    selector: LabelSelector | None, own: Labels, term: PodAffinityTerm | None
) -> LabelSelector | None:
    """The selector with the pod's own values of `matchLabelKeys` and `mismatchLabelKeys`."""
    if selector is None or term is None:
        return selector
    return narrowed(selector, own, term.match_label_keys, term.mismatch_label_keys)


def narrowed(
    selector: LabelSelector,
    own: Labels,
    equal: Collection[str],
    different: Collection[str] = (),
) -> LabelSelector:
    """A selector that also asks for the same, or for other, values than `own` of some labels."""
    added: list[Mapping[str, object]] = [
        {"key": key, "operator": operator, "values": (own[key],)}
        for keys, operator in ((equal, "In"), (different, "NotIn"))
        for key in keys
        if key in own
    ]
    if not added:
        return selector
    more = LabelSelector.model_validate({"matchExpressions": tuple(added)})
    return selector.model_copy(
        update={"match_expressions": (*selector.match_expressions, *more.match_expressions)}
    )


def _in_namespace(term: PodAffinityTerm, namespace: str) -> bool:
    if not term.namespaces and term.namespace_selector is None:
        return True
    return namespace in term.namespaces or selects(
        term.namespace_selector, {NAMESPACE_NAME: namespace}
    )
