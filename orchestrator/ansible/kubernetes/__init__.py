"""Ansible for a cluster in Kubernetes: the same playbooks and roles, another inventory.

The nodes are the hosts, the objects of a namespace tell which daemons they have, and Ceph is asked
from here. Only a node's disks need a task on the node itself, which its Job's pod carries.
"""

from orchestrator.ansible.kubernetes.runner import ClusterRunner

__all__ = ["ClusterRunner"]
