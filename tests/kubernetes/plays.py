"""The play of what runs beside daemons, on nodes, as the operator has it played."""

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.kubernetes.plane import ControlPlane
from orchestrator.ansible.kubernetes import inventory
from orchestrator.ansible.run import Order, Runner
from orchestrator.ansible.variables import Variables
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Outcome


def services(
    raw: dict[str, Any],
    folder: Path,
    plane: ControlPlane,
    hosts: Mapping[HostName, Mapping[str, Any]],
) -> Outcome:
    """Play it for the CephCluster `raw`; `hosts` has the variables of each node."""
    variables = Variables(
        playbook="services.yml",
        targets=(),
        hosts=hosts,
        extra={"ceph_fsid": str(uuid.uuid4()), "service_hosts": [str(name) for name in hosts]},
    )
    runner = Runner(
        inventories=(),
        artifacts=folder / "runs",
        on_progress=lambda _progress: None,
        canceled=lambda: False,
        environment={"K8S_AUTH_KUBECONFIG": str(plane.kubeconfig)},
    )
    order = Order(
        playbook=variables.playbook,
        extra=inventory.told(variables, []),
        overlay=inventory.hosts(variables, raw, {}),
        forks=5,
    )
    return runner.run(order)
