"""The lab's control plane: what the tests of the operator stand on."""

import json
import signal
from collections.abc import Callable

from lab import proc
from lab.kubernetes import binaries
from lab.kubernetes.plane import WHOLE, ControlPlane


def kubectl(plane: ControlPlane, *words: str) -> str:
    login = f"--kubeconfig={plane.kubeconfig}"
    return proc.run([str(binaries.path("kubectl")), login, *words])


def test_it_serves_the_version_that_was_built(control_plane: ControlPlane):
    version = json.loads(kubectl(control_plane, "version", "--output", "json"))
    assert version["serverVersion"]["gitVersion"] == "v1.20.2"


def test_two_run_side_by_side_and_know_nothing_of_each_other(
    control_plane: ControlPlane, new_control_plane: Callable[..., ControlPlane]
):
    other = new_control_plane()
    kubectl(other, "create", "namespace", "only-here")
    assert "only-here" in kubectl(other, "get", "namespaces")
    assert "only-here" not in kubectl(control_plane, "get", "namespaces")


def test_an_api_server_that_was_killed_comes_back_with_its_objects(
    new_control_plane: Callable[..., ControlPlane],
):
    plane = new_control_plane(WHOLE)
    kubectl(plane, "create", "namespace", "kept")
    plane.stop("kube-apiserver", signal.SIGKILL)
    plane.start("kube-apiserver")
    plane.wait()
    assert "kept" in kubectl(plane, "get", "namespaces")
    assert plane.daemon("kube-controller-manager").pid() is not None


def test_what_is_taken_down_leaves_no_process(new_control_plane: Callable[..., ControlPlane]):
    plane = new_control_plane()
    running = [plane.daemon(name).pid() for name in plane.programs]
    plane.down()
    assert None not in running
    assert [plane.daemon(name).pid() for name in plane.programs] == [None, None]
    assert not plane.where.folder.exists()
