"""Commands to a Ceph cluster over librados: one connect, no `ceph` process for each question.

librados can block in spite of all its timeouts, so it lives in a child process: every wait ends.
"""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, redact

if TYPE_CHECKING:
    from types import TracebackType

# What the hard limit adds to librados' own timeouts, so that the better message wins.
_GRACE_SECONDS = 3.0
# Nobody knows whether a command that ended so was carried out.
_UNTOLD = (errno.ETIMEDOUT, errno.EPIPE, errno.ENOTCONN, errno.EINTR, errno.EIO)
_TIMEOUTS = ("client_mount_timeout", "rados_mon_op_timeout", "rados_osd_op_timeout")


class CephError(Exception):
    """A cluster that could not be reached, or a command that it refused, in Ceph's own words.

    `output` is what the refused command gave all the same, such as the reasons in full.
    """

    def __init__(self, number: int, message: str, output: str = "") -> None:
        self.errno = number
        self.message = redact.redact(message.strip()) or os.strerror(number)
        self.output = redact.redact(output)
        super().__init__(self.message)

    @property
    def refused(self) -> bool:
        """Whether the cluster said no, so that nothing of the command was done."""
        return self.errno not in _UNTOLD

    def __reduce__(self) -> tuple[type[CephError], tuple[int, str, str]]:
        return CephError, (self.errno, self.message, self.output)


class CephClient:
    """A connection to the cluster, as a context manager.

    Without `conf` it is Ceph's own variable CEPH_CONF that says where the configuration is, or else
    Ceph's own place.
    """

    def __init__(
        self,
        name: str = "client.admin",
        conf: str = "",
        keyring: str = "",
        timeout: float = 15.0,
    ) -> None:
        conf = conf or os.environ.get("CEPH_CONF") or "/etc/ceph/ceph.conf"
        self._settings = {"name": name, "conf": conf, "keyring": keyring, "timeout": timeout}
        self._timeout = timeout
        self._child: child.Child | None = None

    def __enter__(self) -> CephClient:  # noqa: PYI034 - Self is younger than the targets' Python
        settings = self._settings
        self._child = child.Child(lambda channel: _serve(channel, settings))
        try:
            self._answer()
        except CephError:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._child:
            self._child.stop()
            self._child = None

    def command(
        self,
        prefix: str,
        inbuf: bytes = b"",
        target: str = "mon",
        **arguments: Any,  # noqa: ANN401 - each command has its own
    ) -> Any:  # noqa: ANN401 - JSON
        """Give a command's JSON answer (its text when it is not JSON), or raise CephError.

        `target` "mgr" sends it to the active manager.
        """
        if not self._child:
            raise CephError(errno.ENOTCONN, "not connected to the cluster")
        text = json.dumps({"prefix": prefix, "format": "json", **arguments})
        try:
            self._child.channel.send((target, text, inbuf))
        except child.ChildGoneError as error:
            raise CephError(errno.EPIPE, f"{prefix}: {error}") from error
        try:
            return decoded(self._answer())
        except CephError as error:
            raise CephError(error.errno, f"{prefix}: {error.message}", error.output) from error

    def _answer(self) -> bytes:
        if not self._child:
            raise CephError(errno.ENOTCONN, "not connected to the cluster")
        try:
            answer = self._child.channel.receive(self._timeout + _GRACE_SECONDS)
        except TimeoutError:
            self.close()
            raise CephError(errno.ETIMEDOUT, _no_answer(self._timeout)) from None
        except child.ChildGoneError as error:
            self.close()
            raise CephError(errno.EPIPE, f"librados failed: {error}") from error
        if isinstance(answer, CephError):
            raise answer
        return bytes(answer)


def decoded(output: bytes) -> Any:  # noqa: ANN401 - JSON
    text = output.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def _serve(channel: child.Channel, settings: dict[str, Any]) -> None:
    """Answer one command after another, in the child, until the parent closes."""
    try:
        cluster = _connect(settings)
    except CephError as error:
        channel.send(error)
        return
    channel.send(b"")
    while True:
        target, text, inbuf = channel.receive()
        send = cluster.mgr_command if target == "mgr" else cluster.mon_command
        channel.send(_result(send, text, inbuf))


def _result(send: Any, text: str, inbuf: bytes) -> bytes | CephError:  # noqa: ANN401
    try:
        code, output, message = send(text, inbuf)
    except Exception as error:  # noqa: BLE001 - rados' tree of errors is only known after its import
        return CephError(getattr(error, "errno", 0) or errno.EIO, str(error))
    if code == 0:
        return bytes(output or b"")
    if code == -errno.ETIMEDOUT and not message:
        message = "the cluster did not answer in time"
    return CephError(abs(code), str(message), bytes(output or b"").decode("utf-8", "replace"))


def _connect(settings: dict[str, Any]) -> Any:  # noqa: ANN401 - rados.Rados
    try:
        import rados  # noqa: PLC0415 - in the child alone, and only when it is needed
    except ImportError:
        raise CephError(
            errno.ENOPKG,
            "Python's binding of librados is missing: install the package python3-rados",
        ) from None
    if not os.path.exists(settings["conf"]):  # noqa: PTH110
        raise CephError(errno.ENOENT, f"{settings['conf']} does not exist")
    options = {option: str(max(1, round(settings["timeout"]))) for option in _TIMEOUTS}
    if settings["keyring"]:
        options["keyring"] = settings["keyring"]
    try:
        cluster = rados.Rados(name=settings["name"], conffile=settings["conf"], conf=options)
        cluster.connect(timeout=max(1, round(settings["timeout"])))
    except Exception as error:  # noqa: BLE001 - rados' tree of errors is only known after its import
        number = abs(getattr(error, "errno", 0) or errno.EIO)
        raise CephError(number, _why(number, str(error), settings)) from None
    return cluster


def _why(number: int, text: str, settings: dict[str, Any]) -> str:
    """Say what librados' bare numbers mean for the reader."""
    name, conf = settings["name"], settings["conf"]
    if number == errno.ETIMEDOUT:
        return _no_answer(settings["timeout"])
    if number == errno.ENOENT:
        return f"no key found for {name} (keyring of {conf}), or no mon_host in it: {text}"
    if number in (errno.EACCES, errno.EPERM):
        return f"the cluster refuses the key of {name}: {text}"
    return text


def _no_answer(seconds: float) -> str:
    return f"the cluster did not answer within {seconds:g} s: no quorum of mons, or none reachable"
