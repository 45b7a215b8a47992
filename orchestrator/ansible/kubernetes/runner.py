"""Looks at a cluster in Kubernetes and runs its steps: `reconcile.Ansible` for the operator."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kubernetes.dynamic import DynamicClient

from orchestrator.ansible import facts as answers
from orchestrator.ansible import private
from orchestrator.ansible.facts import Member
from orchestrator.ansible.kubernetes import given, grounds, inventory, jobs, nodes, reports
from orchestrator.ansible.kubernetes.api import Api
from orchestrator.ansible.kubernetes.disks import Disks
from orchestrator.ansible.kubernetes.grounds import Ground
from orchestrator.ansible.kubernetes.jobs import Purpose
from orchestrator.ansible.kubernetes.looking import Looker, LookError
from orchestrator.ansible.kubernetes.reports import LOOK
from orchestrator.ansible.kubernetes.versions import Detector
from orchestrator.ansible.processes import Processes
from orchestrator.ansible.run import OnProgress, Order, Runner, Watch, forks, unheard
from orchestrator.ansible.variables import Variables
from orchestrator.model import mon_objects
from orchestrator.model.facts import NO_RESTARTS, Restarts
from orchestrator.model.names import HostName
from orchestrator.model.operator_settings import OperatorSettings
from orchestrator.model.outcome import Failure, Outcome

Raw = Mapping[str, Any]

LASTING_SECONDS = 20.0
"""For so long what the objects and Ceph told is believed while disks are looked into."""

NEED_DISKS: Mapping[str, Purpose] = {"osd.yml": jobs.PREPARE, "cleanup.yml": jobs.CLEANUP}
"""Playbooks whose tasks on a node work on its disks, and what its Job is for."""

FORM = "mon.yml"
"""What a quorum comes of; disks are looked into beside it, for the steps that follow."""

IN_PROCESS = "CEPH_ORCHESTRATOR_IN_PROCESS"
"""Lets the collection's modules run in Ansible's own process, where they are not for a node."""

SECONDS = "CEPH_ORCHESTRATOR_COMMAND_SECONDS"
"""Tells the collection's modules how long a command of Ceph may take."""


class ClusterRunner:
    """One CephCluster: `cluster` gives it as the API server does, with metadata and spec.

    Unless it is `alone`, somebody else may have Jobs at work: a look starts and removes none then.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each thing that it needs of outside
        self,
        *,
        cluster: Callable[[], Raw],
        dynamic: Callable[[], DynamicClient],
        kubeconfig: Path | None,
        artifacts: Path,
        on_progress: OnProgress,
        canceled: Callable[[], bool],
        alone: Callable[[], bool] = lambda: True,
        on_detection: Callable[[], None] = lambda: None,
        settings: OperatorSettings = nodes.USUAL,
        operator_namespace: str = "",
    ) -> None:
        self._cluster, self._settings = cluster, settings
        self._operator_namespace = operator_namespace
        self._alone = alone
        self._canceled = canceled
        self._dynamic = dynamic
        home = private.home(self, Processes(artifacts.with_name("processes")))
        environment = {
            "CEPH_CONF": str(home / "ceph" / "ceph.conf"),
            IN_PROCESS: "1",
            SECONDS: str(settings.command_seconds),
        }
        if kubeconfig:
            environment["K8S_AUTH_KUBECONFIG"] = str(kubeconfig.resolve())
        self._looker = Looker(home, environment)
        self._runner = Runner(
            inventories=(),
            artifacts=artifacts,
            on_progress=on_progress,
            canceled=canceled,
            environment=environment,
        )
        self._soon: list[HostName] = []
        self._disks = Disks(
            lambda: self._api, self._object, canceled, settings, lambda: self._discovery
        )
        self._images = Detector(lambda: self._api, self._object, canceled, on_detection)

    def members(self) -> tuple[Member, ...]:
        return tuple(node.member for node in self._nodes())

    def observe(self, restarts: Restarts = NO_RESTARTS) -> Outcome:
        """Look at the objects and at Ceph, and into disks of which nothing is known any more."""
        started = time.monotonic()
        try:
            if self._alone():
                self._disks.sweep()
                trouble = self._image_trouble()
                if trouble:
                    return self._lost(LOOK, trouble)
            outcome = self._complete(restarts)
        except OSError as error:
            outcome = self._lost(LOOK, str(error))
        return replace(outcome, seconds=time.monotonic() - started)

    def apply(self, variables: Variables, *, check: bool = False) -> Outcome:
        """Run one step's playbook; where disks are needed, in the pods of their nodes' Jobs."""
        purpose = NEED_DISKS.get(variables.playbook)
        soon = self._soon if variables.playbook == FORM and not check else []
        needed = variables.targets if purpose else ()
        try:
            with self._disks.reached(needed, purpose or jobs.PREPARE) as pods:
                lost = [name for name in needed if name not in pods]
                if lost:
                    return self._podless(variables.playbook, lost)
                made_on = self._grounds(self._nodes()) if pods else {}
                with self._looking_into(soon):
                    outcome = self._ran(variables, pods, check=check)
            if not outcome.ok and not check:
                self._disks.forget(needed)
            if outcome.canceled or check:
                return outcome
            return self._reported(outcome, variables, made_on)
        except OSError as error:
            return self._lost(variables.playbook, str(error))

    def _lost(self, playbook: str, why: str) -> Outcome:
        """What a cancel cut off has not failed."""
        return replace(reports.lost(playbook, why), canceled=self._canceled())

    def at_work(self) -> AbstractContextManager[None]:
        """Around steps that follow one another: they share the pods that reach the disks."""
        return self._disks.staying()

    def _image_trouble(self) -> str:
        """Why nothing may be made of the manifest's image; one that goes is not asked any more."""
        deleting = "deletionTimestamp" in self._object()["metadata"]
        return "" if deleting else self._images.trouble()

    def release(self, variables: Variables) -> Outcome:
        """Nothing: whoever holds the Lease is the only one, and no lock lies in the cluster."""
        return Outcome(ok=True, run="", playbook=variables.playbook)

    def health(self) -> Raw | None:
        """Ceph's own view now, None while there is no cluster to ask; starts no Job.

        What leads to Ceph is read here: a process that loads the API server's client for it would
        cost more than the question. Raises OSError when a cluster that once had a quorum is silent.
        """
        secret = self._api.secret(mon_objects.SECRET)
        endpoints = self._api.config_map(mon_objects.ENDPOINTS)
        if secret is None or endpoints is None:
            return None
        stored = {
            f"Secret/{mon_objects.SECRET}": secret,
            f"ConfigMap/{mon_objects.ENDPOINTS}": endpoints,
        }
        if "ceph-secret" not in (secret.get("data") or {}):
            credentials = self._api.secret(mon_objects.CREDENTIALS) or {}
            stored[f"Secret/{mon_objects.CREDENTIALS}"] = credentials
        asked = {"stored": stored, "timeout": self._settings.command_seconds}
        found = self._looker.look(asked)["cluster"]
        if isinstance(found, Mapping):
            return found
        if mon_objects.had_quorum(endpoints):
            raise LookError("no mon in quorum answered")
        return None

    @contextmanager
    def _looking_into(self, names: list[HostName]) -> Iterator[None]:
        """Look into disks meanwhile; what this look does not see is looked into again later."""
        if not names:
            yield
            return
        with ThreadPoolExecutor(max_workers=1) as pool:
            looked = pool.submit(self._look_into, names, unheard(self._canceled))
            yield
        with suppress(OSError):
            looked.result()

    def _ran(
        self,
        variables: Variables,
        pods: Mapping[HostName, str],
        watch: Watch | None = None,
        *,
        check: bool = False,
    ) -> Outcome:
        overlay = inventory.hosts(
            variables,
            self._object(),
            pods,
            allow_loop_devices=self._settings.allow_loop_devices,
            secrets=self._secrets(),
        )
        order = Order(
            playbook=variables.playbook,
            extra=inventory.told(variables, [str(name) for name in pods]),
            overlay=overlay,
            forks=forks(variables),
            check=check,
        )
        return self._runner.run(order, watch)

    def _reported(
        self, outcome: Outcome, variables: Variables, made_on: Mapping[HostName, Ground]
    ) -> Outcome:
        """The outcome with what is there now; what was seen of disks is noted first."""
        self._note(outcome, made_on)
        restarts = Restarts(
            waiting=tuple(variables.extra.get("facts_restarting_osds") or ()),
            at_once=int(variables.extra.get("facts_restarting_at_once") or 1),
        )
        seen = self._complete(restarts)
        if not seen.reports:
            failures = (*outcome.failures, *seen.failures)
            return replace(outcome, ok=False, failures=failures, reports={})
        return replace(outcome, reports=seen.reports)

    def _complete(self, restarts: Restarts) -> Outcome:
        """What is there now, with disks that nobody looked into since something changed."""
        found = self._nodes()
        answer, began = self._answer(found, restarts), time.monotonic()
        outcome = reports.told(found, answer, self._disks.notes())
        asked = answers.cluster_of(outcome) is not None
        stale = self._unlooked(found, outcome, asked=asked) if self._alone() else []
        new = not asked and not stale and self._alone()
        self._soon = self._unlooked(found, outcome, asked=True) if new else []
        if not stale:
            return outcome
        failures = self._look_into(stale)
        if failures or time.monotonic() - began > LASTING_SECONDS:
            found = self._nodes()
            answer = self._answer(found, restarts)
        outcome = reports.told(found, answer, self._disks.notes())
        return reports.with_doubts(outcome, failures)

    def _note(self, outcome: Outcome, made_on: Mapping[HostName, Ground]) -> None:
        for name, report in outcome.reports.items():
            self._disks.note(name, made_on.get(name, Ground()), report["host"])

    def _answer(self, found: Sequence[nodes.Node], restarts: Restarts) -> Raw:
        """What the objects tell of all nodes that are ready, and Ceph's view."""
        ready = reports.ready(found)
        digests = given.digests(self._secrets())
        answer = self._looker.look(
            {
                "cluster": self._object(),
                "nodes": {
                    str(node.member.name): {
                        "memory_bytes": node.memory_bytes,
                        "first": node is ready[0],
                    }
                    for node in ready
                },
                "timeout": self._settings.command_seconds,
                "restarting_osds": list(restarts.waiting),
                "restarting_at_once": restarts.at_once,
                "grown_osds": _asks_for_sizes(self._object()),
                "digests": digests,
                "image": asdict(self._images.found()),
            },
            self._canceled,
        )
        return {**answer, "digests": digests}

    def _unlooked(
        self, found: Sequence[nodes.Node], outcome: Outcome, *, asked: bool
    ) -> list[HostName]:
        """Nodes that may hold OSDs and whose disks were not looked into since something changed."""
        hosts = grounds.searched(self._object(), found, outcome, asked=asked)
        return grounds.unlooked(hosts, self._grounds(found), self._disks.notes()) if hosts else []

    def _look_into(self, names: list[HostName], watch: Watch | None = None) -> tuple[Failure, ...]:
        """Look on the nodes themselves; gives a failure for each that was not seen."""
        with self._disks.looked_into(names) as pods:
            made_on = self._grounds(self._nodes())
            there = [name for name in names if name in pods]
            outcome = self._podless(LOOK, [name for name in names if name not in pods])
            if there:
                hosts: dict[HostName, dict[str, Any]] = {name: {} for name in there}
                wanted = Variables(playbook=LOOK, targets=(), hosts=hosts, extra={})
                looked = self._ran(wanted, pods, watch)
                outcome = replace(looked, failures=(*outcome.failures, *looked.failures))
        self._note(outcome, made_on)
        return reports.unseen(names, outcome)

    def _podless(self, playbook: str, names: list[HostName]) -> Outcome:
        return reports.podless(playbook, names, canceled=self._canceled())

    def _grounds(self, found: Sequence[nodes.Node]) -> dict[HostName, Ground]:
        return grounds.of_nodes(found, self._object()["spec"], self._disks.discovered())

    def _secrets(self) -> given.Values:
        return given.read(self._object()["spec"], self._api.secret)

    def _nodes(self) -> tuple[nodes.Node, ...]:
        return nodes.read(self._api.nodes(), self._settings)

    @property
    def _discovery(self) -> Api:
        """As with Rook the discovery of disks is the operator's, not a cluster's."""
        own = self._operator_namespace
        return Api(self._dynamic(), own) if own else self._api

    @property
    def _api(self) -> Api:
        return Api(self._dynamic(), str(self._object()["metadata"]["namespace"]))

    def _object(self) -> dict[str, Any]:
        """The CephCluster without its status, which is nothing to make objects of.

        Beside it stands what the operator's settings say to those who make them.
        """
        raw = self._settings.applied(self._cluster())
        told = self._settings.told
        kept = ("name", "namespace", "uid", "deletionTimestamp")
        metadata = {name: raw["metadata"][name] for name in kept if name in raw["metadata"]}
        return {
            "apiVersion": "ceph.rook.io/v1",
            "kind": "CephCluster",
            "metadata": metadata,
            "spec": raw.get("spec") or {},
            **({"operator": told} if told else {}),
        }


def _asks_for_sizes(cluster: Raw) -> bool:
    return bool((cluster["spec"].get("storage") or {}).get("allowOsdCrushWeightUpdate"))
