"""The rights of deploy/rbac are enough for all that the controller does."""

from pathlib import Path

from lab.kubernetes import kubectl
from lab.kubernetes.plane import ControlPlane
from orchestrator.stores.kubernetes.connection import Connection, connect
from tests.contract.paths import ROOT
from tests.integration.apiserver.site import Site
from tests.waiting import eventually

ACCOUNT = "system:serviceaccount:rook-ceph:rook-ceph-system"


def test_the_operators_account_makes_tells_and_deletes_a_cluster(
    connection: Connection, control_plane: ControlPlane, tmp_path: Path
) -> None:
    admin = Site(connection, "rook-ceph", tmp_path).begin()
    kubectl.run(control_plane.kubeconfig, "apply", "--filename", str(ROOT / "deploy" / "rbac"))
    groups = ("system:serviceaccounts", "system:authenticated")
    own = connect(control_plane.user(ACCOUNT, groups))
    site = Site(own, "rook-ceph", tmp_path, environment={"ROOK_MON_HEALTHCHECK_INTERVAL": "1s"})
    with site.managed():
        admin.apply()
        eventually(admin.ready)
        eventually(lambda: site.passes("converged"))
        eventually(lambda: (admin.status().get("ceph") or {}).get("health"))
        next(site.runner().machines.units("mon"))[1].active = "failed"
        eventually(lambda: len(site.runner().machines.quorum()) == 3)
        assert [one[1] for one in admin.events()] == ["ReconcileSucceeded"]
        admin.delete()
        eventually(lambda: not admin.get())

        assert site.passes("error") == 0
