"""A control plane: etcd, the API server, and if asked the controller manager and the scheduler."""

import shutil
import signal
import ssl
import time
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.kubernetes import binaries, certificates, commands, kubeconfig
from lab.kubernetes.certificates import Pair
from lab.kubernetes.daemons import Daemon
from lab.kubernetes.where import Where

API = ("etcd", "kube-apiserver")
WHOLE = (*API, "kube-controller-manager", "kube-scheduler")
MASTERS = ("system:masters",)
NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
READY_SECONDS = 90.0
PAUSE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlane:
    """A control plane is its folder, like a lab.

    Args:
        where: its places.
        programs: what runs, in the order of starting.
        bound: whether the programs end with the thread that starts them.

    """

    where: Where
    programs: tuple[str, ...] = API
    bound: bool = False

    @property
    def kubeconfig(self) -> Path:
        """Return the kubeconfig of an administrator."""
        return self.where.kubeconfig("admin")

    def up(self) -> None:
        """Start what does not run and wait until all of it is ready."""
        self.write()
        for name in API:
            self.start(name)
        self.wait()
        for name in self.programs:  # the others give up when they find no API server
            self.start(name)

    def down(self) -> None:
        """End all programs and remove the folder."""
        for name in reversed(WHOLE):
            self.stop(name, signal.SIGKILL)  # nothing of it is kept
        shutil.rmtree(self.where.folder, ignore_errors=True)

    def start(self, name: str) -> None:
        """Start one program; it need not be ready yet when this returns."""
        program, *options = commands.of(self.where, name)
        path = binaries.path(name) if name in binaries.NAMES else Path(program)
        self.daemon(name).start([path, *options], bound=self.bound)

    def stop(self, name: str, how: signal.Signals = signal.SIGTERM) -> None:
        """End one program; `start` brings it back at the same address with the same data."""
        self.daemon(name).stop(how)

    def daemon(self, name: str) -> Daemon:
        return Daemon(self.where.folder / "daemons", name)

    def wait(self, seconds: float = READY_SECONDS) -> None:
        """Wait until the API server serves; LabError with a program's last words when it cannot."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._check_alive()
            if self._answers("/readyz") and self._answers("/api/v1/namespaces/default"):
                return
            time.sleep(PAUSE)
        raise self.daemon("kube-apiserver").complaint(f"is not ready after {seconds:g} s")

    def user(self, name: str, groups: Iterable[str] = ()) -> Path:
        """Return a kubeconfig for a user who has the rights of the name and the groups alone."""
        path = self.where.kubeconfig(name.rpartition(":")[2])
        if not path.exists():
            pair = certificates.ensure(self._authority, path.stem, name, groups)
            kubeconfig.write(path, self.where.url, self._authority, pair)
        return path

    @property
    def _authority(self) -> Pair:
        return certificates.ensure_authority(self.where.pki)

    @property
    def _admin(self) -> Pair:
        return certificates.ensure(self._authority, "admin", "admin", MASTERS)

    def write(self) -> None:
        """Write all keys, certificates and kubeconfigs."""
        addresses = (*NAMES, self.where.address, self.where.service)
        certificates.ensure(self._authority, "server", "kube-apiserver", (), addresses)
        certificates.ensure(self._authority, "kubelet-client", "kube-apiserver", MASTERS)
        certificates.ensure_key(self.where.pki / "service-accounts.key")
        self.user("admin", MASTERS)
        self.user("system:kube-controller-manager")
        self.user("system:kube-scheduler")

    def _check_alive(self) -> None:
        for name in API:
            if self.daemon(name).pid() is None:
                raise self.daemon(name).complaint("ended")

    def _answers(self, path: str) -> bool:
        context = ssl.create_default_context(cafile=str(self._authority.certificate))
        context.load_cert_chain(self._admin.certificate, self._admin.key)
        try:
            url = self.where.url + path
            with urllib.request.urlopen(url, context=context, timeout=5):  # noqa: S310  # our own
                return True
        except OSError:
            return False
