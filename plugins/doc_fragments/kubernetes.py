"""Options of the modules that keep a cluster's objects in Kubernetes."""

from __future__ import annotations


class ModuleDocFragment:
    """What they all need to know."""

    DOCUMENTATION = r"""
options:
  cluster:
    description:
      - The CephCluster as the API server gives it, with its C(metadata) and its C(spec).
      - What the operator's settings say stands beside them in C(operator), with C(hostnameLabel),
        C(revisionHistoryLimit) and C(hostNetwork), all of which may be left out.
    type: dict
    required: true
requirements:
  - kubernetes
notes:
  - The API server is that of the pod in which the module runs, or of the file that the environment
    variable E(K8S_AUTH_KUBECONFIG) or E(KUBECONFIG) names.
"""
