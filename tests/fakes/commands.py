"""Behind the command line: simulated machines in the place of Ansible, a manifest, a home."""

import os
import signal

from orchestrator.ansible.events import Progress
from orchestrator.ansible.inventory import InventoryError
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.stores import files
from tests.fakes.clusters import room

KEY = ClusterKey("rook-ceph", "test")
MANIFEST = """\
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: test, namespace: rook-ceph}
spec:
  dataDirHostPath: /var/lib/rook
  mon: {count: 3}
  mgr: {count: 2}
  storage: {useAllNodes: true, useAllDevices: true}
"""


class Runner:
    """Takes the place of the one that starts Ansible; class attributes are what a test sets."""

    machines = room()
    interrupt = ""
    broken = ""

    def __init__(self, *, inventories, artifacts, on_progress, canceled):
        self._on_progress = on_progress
        self._canceled = canceled

    def members(self):
        if self.broken == "inventory":
            raise InventoryError("hosts.yml: ERROR! no such group")
        return self.machines.members()

    def observe(self, _restarts):
        if self.broken == "ansible":
            failure = Failure(host="localhost", task="", message="ERROR! no module named x")
            return Outcome(ok=False, run="7", playbook="facts.yml", failures=(failure,))
        return self._run("facts.yml", self.machines.observe)

    def apply(self, variables, *, check=False):
        return self._run(variables.playbook, lambda: self.machines.apply(variables, check=check))

    def release(self, variables):
        return self.machines.release(variables)

    def _run(self, playbook, run):
        if self.interrupt == playbook:
            os.kill(os.getpid(), signal.SIGINT)
        if self._canceled():
            return Outcome(ok=False, run="7", playbook=playbook, canceled=True)
        ident = f"{len(self.machines.runs) + 1}"
        self._on_progress(Progress(run=ident, playbook=playbook, kind="task", task="Do it"))
        outcome = run()
        for host in outcome.reports:
            self._on_progress(
                Progress(
                    run=ident,
                    playbook=playbook,
                    kind="ok",
                    task="Do it",
                    host=host,
                    changed=playbook != "facts.yml",
                    seconds=1.0,
                )
            )
        return outcome


def home(tmp_path):
    return files.Home(tmp_path / "state" / "orchestrator")
