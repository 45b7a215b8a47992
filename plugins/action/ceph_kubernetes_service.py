"""The module of this name, in Ansible's own process where that is asked for."""

from __future__ import annotations

from ansible_collections.ceph_orchestrator.ceph.plugins.plugin_utils import in_process

ActionModule = in_process.action("ceph_kubernetes_service")
