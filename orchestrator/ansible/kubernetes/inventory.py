"""The inventory of a step in Kubernetes: nodes are hosts, whose tasks run in the operator (pure).

Where a node's own disks are needed, its tasks run in the pod of its Job instead. Beside the nodes
there is one host for the operator itself, on which Ceph and the API server are asked and told.
"""

import sys
from collections.abc import Mapping
from typing import Any

from orchestrator.ansible import unsafe
from orchestrator.ansible.inventory import TARGETS
from orchestrator.ansible.variables import Variables
from orchestrator.model.names import HostName

OPERATOR = HostName("the-operator")
CONTAINER = "provision"


def hosts(
    variables: Variables,
    cluster: Mapping[str, Any],
    pods: Mapping[HostName, str],
    *,
    allow_loop_devices: bool = False,
    secrets: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """The whole inventory; `pods` are those in which the tasks of a host run."""
    named = {
        str(name): {**values, **connection(cluster, pods.get(name, ""))}
        for name, values in variables.hosts.items()
    }
    targets: dict[str, dict[str, Any]] = {str(name): {} for name in variables.targets}
    return {
        "all": {
            "hosts": {**named, str(OPERATOR): local()},
            "vars": {
                "daemon_supervisor": "kubernetes",
                "daemon_cluster": unsafe.plain(cluster),
                "ceph_allow_loop_devices": allow_loop_devices,
                "ceph_secrets": unsafe.plain(secrets or {}),
            },
            "children": {TARGETS: {"hosts": targets}},
        }
    }


def connection(cluster: Mapping[str, Any], pod: str) -> dict[str, Any]:
    if not pod:
        return local()
    return {
        "ansible_connection": "kubernetes.core.kubectl",
        "ansible_kubectl_namespace": cluster["metadata"]["namespace"],
        "ansible_kubectl_pod": pod,
        "ansible_kubectl_container": CONTAINER,
        "ansible_python_interpreter": "/usr/bin/python3",
        "ansible_become": False,
    }


def local() -> dict[str, Any]:
    return {
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "ansible_become": False,
    }


def told(variables: Variables, facts_hosts: list[str]) -> dict[str, Any]:
    """The extra variables: the operator is the admin host, and its Lease is the lock."""
    return {
        **variables.extra,
        "ceph_admin_host": str(OPERATOR),
        "lock_hosts": [],
        "lock_renewal_hosts": [],
        "lock_release_hosts": [],
        "facts_hosts": facts_hosts,
    }
