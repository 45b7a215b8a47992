"""The real runner of playbooks in Kubernetes, with nothing behind it: a test gives it its parts."""

from orchestrator.ansible.kubernetes.runner import ClusterRunner


def cluster_runner(tmp_path, cluster=dict, *, canceled=False, **more):
    """Its artifacts are below `tmp_path`; `cluster` gives the CephCluster."""
    return ClusterRunner(
        cluster=cluster,
        dynamic=lambda: None,
        kubeconfig=None,
        artifacts=tmp_path / "runs",
        on_progress=lambda _progress: None,
        canceled=lambda: canceled,
        **more,
    )
