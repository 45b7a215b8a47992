"""The way to nodes' disks: their Jobs while somebody works there, and notes of the last look."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from orchestrator.ansible.kubernetes import discovery, jobs, nodes
from orchestrator.ansible.kubernetes.api import Api
from orchestrator.ansible.kubernetes.discovery import Discovered
from orchestrator.ansible.kubernetes.grounds import Ground, Note
from orchestrator.ansible.kubernetes.jobs import Purpose
from orchestrator.model import kube_names, ownership
from orchestrator.model.names import HostName
from orchestrator.model.operator_settings import OperatorSettings

NOTES = "ceph-orchestrator-devices-{}"
NOTED = ("devices", "osds_lvm", "unfinished")
"""What only a look on the node itself can tell."""

START_SECONDS = 180.0
PAUSE_SECONDS = 0.3

Raw = Mapping[str, Any]


class Disks:
    """Jobs and notes of one cluster; `discovery` is where a discovery daemon tells of all nodes."""

    def __init__(
        self,
        api: Callable[[], Api],
        cluster: Callable[[], Raw],
        canceled: Callable[[], bool],
        settings: OperatorSettings = nodes.USUAL,
        discovery: Callable[[], Api] | None = None,
    ) -> None:
        self._api, self._cluster, self._canceled = api, cluster, canceled
        self._discovery = discovery or api
        self._settings = settings
        self._staying = False
        self._stayed: dict[HostName, str] = {}

    @contextmanager
    def staying(self) -> Iterator[None]:
        """Within, pods that a look needed are there for the step after it; none stays behind."""
        self._staying = True
        try:
            yield
        finally:
            self._staying = False
            if self._stayed:
                with suppress(OSError):  # the next look sweeps first
                    self.sweep()

    @contextmanager
    def looked_into(self, wanted: Iterable[HostName]) -> Iterator[dict[HostName, str]]:
        """As `reached`, for a look after which a step may need the same pods."""
        pods = dict[HostName, str]()
        try:
            pods = self._started(list(dict.fromkeys(wanted)), jobs.PREPARE)
            yield pods
        finally:
            if self._staying and pods:
                self._stayed = pods
            else:
                self.sweep()

    @contextmanager
    def reached(
        self, wanted: Iterable[HostName], purpose: Purpose = jobs.PREPARE
    ) -> Iterator[dict[HostName, str]]:
        """The pods in which the nodes' disks are; none of them is left afterwards.

        A node whose pod does not run in time is not among them, nor one that was lost meanwhile.
        """
        names = list(dict.fromkeys(wanted))
        if not names:
            yield {}
            return
        try:
            yield self._still_there(names, purpose) or self._started(names, purpose)
        finally:
            self.sweep()

    def _still_there(self, names: list[HostName], purpose: Purpose) -> dict[HostName, str]:
        """Those that a look has left, if they are all there and run."""
        left = {name: self._stayed[name] for name in names if name in self._stayed}
        if purpose is not jobs.PREPARE or len(left) < len(names):
            return {}
        alive = {str(pod["metadata"]["name"]) for pod in self._pods() if _runs(pod)}
        return left if alive.issuperset(left.values()) else {}

    def sweep(self) -> None:
        """Remove the Jobs of this cluster: those of now, and what a killed operator left."""
        api = self._api()
        for job in api.jobs(self._selector):
            api.delete_job(job["metadata"]["name"])
        for pod in self._pods():
            api.delete_pod(pod["metadata"]["name"])
        self._stayed = {}

    def _pods(self) -> list[dict[str, Any]]:
        return self._api().pods(self._selector)

    @property
    def _selector(self) -> str:
        return f"app in ({jobs.APPS}),rook_cluster={self._namespace}"

    @property
    def _namespace(self) -> str:
        return str(self._cluster()["metadata"]["namespace"])

    def _started(self, names: list[HostName], purpose: Purpose) -> dict[HostName, str]:
        self.sweep()
        return self._come(self._made(names, purpose))

    def _made(self, names: list[HostName], purpose: Purpose) -> dict[HostName, str]:
        """The uids of new Jobs."""
        api, cluster = self._api(), self._cluster()
        bodies = {name: jobs.job(cluster, name, purpose) for name in names}
        made = {
            name: api.create_job(body, START_SECONDS, self._canceled)
            for name, body in bodies.items()
        }
        return {name: str(job["metadata"]["uid"]) for name, job in made.items()}

    def _come(self, uids: Mapping[HostName, str]) -> dict[HostName, str]:
        """The pods of these Jobs that run, as soon as all do that can."""
        until = time.monotonic() + START_SECONDS
        found = _running(self._pods(), uids)
        while len(found) < len(uids) and time.monotonic() < until and not self._canceled():
            time.sleep(PAUSE_SECONDS)
            found = _running(self._pods(), uids)
            missing = set(uids) - set(found)
            if missing and not self._awaited(missing):
                break
        return found

    def _awaited(self, names: set[HostName]) -> bool:
        """Whether a pod may still come: on a node that is lost none does."""
        found = nodes.read(self._api().nodes(), self._settings)
        ready = {one.member.name for one in found if not one.trouble}
        return not ready.isdisjoint(names)

    def notes(self) -> dict[HostName, Note]:
        """The last looks by node."""
        found = {}
        for one in self._api().config_maps(f"app={_APP},cluster={self._namespace}"):
            data = one.get("data") or {}
            try:
                report = json.loads(data["report"])
            except (KeyError, ValueError):
                continue
            ground = Ground(
                signature=str(data.get("signature", "")),
                discovered=discovery.parse(str(data.get("discovered", ""))),
            )
            found[HostName(data["node"])] = Note(ground=ground, report=report)
        return found

    def note(self, node: HostName, ground: Ground, report: Raw) -> None:
        """Keep what a look on a node told of its disks."""
        metadata = self._cluster()["metadata"]
        kept = {name: report.get(name) or [] for name in NOTED}
        self._api().put_config_map(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": kube_names.object_name(NOTES, node),
                    "namespace": metadata["namespace"],
                    "labels": {"app": _APP, "cluster": metadata["namespace"]},
                    "ownerReferences": [ownership.reference(metadata)],
                },
                "data": {
                    "node": node,
                    "signature": ground.signature,
                    "discovered": ground.discovered.text(),
                    "report": json.dumps(kept),
                },
            }
        )

    def forget(self, names: Iterable[HostName]) -> None:
        """What was noted may not be so any more: the next look is one on the nodes."""
        for node in names:
            self._api().delete_config_map(kube_names.object_name(NOTES, node))

    def discovered(self) -> dict[str, Discovered]:
        """What a discovery daemon says of each node's devices, by the name of the Node object."""
        found = self._discovery().config_maps("app=rook-discover")
        return {
            _node(one): discovery.of_rook(str((one.get("data") or {}).get("devices", "")))
            for one in found
        }


_APP = "ceph-orchestrator-devices"


def _node(raw: Raw) -> str:
    metadata = raw["metadata"]
    named = (metadata.get("labels") or {}).get("rook.io/node")
    return str(named or str(metadata["name"]).removeprefix("local-device-"))


def _running(pods: Iterable[Raw], uids: Mapping[HostName, str]) -> dict[HostName, str]:
    owned = {uid: name for name, uid in uids.items()}
    found = {}
    for pod in pods:
        owners = pod["metadata"].get("ownerReferences") or [{}]
        node = owned.get(str(owners[0].get("uid")))
        if node and _runs(pod):
            found[node] = str(pod["metadata"]["name"])
    return found


def _runs(pod: Raw) -> bool:
    """Whether tasks can run in it: it was not asked to end, and its container has begun."""
    states = (pod.get("status") or {}).get("containerStatuses") or ()
    going = "deletionTimestamp" in pod["metadata"]
    return not going and any((one.get("state") or {}).get("running") for one in states)
