"""Simulated hosts and a simulated Ceph behind the `Ansible` protocol of the reconcile pass.

Each playbook is a list of small operations; a cut after any of them leaves what an interrupted run
would leave. Reports have the shape of `ceph_host_info`, so parsing and variables are exercised too.
"""

from tests.fakes.machines.hosts import Disk, Machine, Unit
from tests.fakes.machines.room import Machines

__all__ = ["Disk", "Machine", "Machines", "Unit"]
