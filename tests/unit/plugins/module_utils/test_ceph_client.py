import errno
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_client

KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="


class RadosError(Exception):
    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.errno = number


class Rados:
    """librados as the client uses it; `behaviour` is set by each test."""

    behaviour = ""

    def __init__(self, name: str, conffile: str, conf: dict[str, str]) -> None:
        self.said = {"name": name, "conffile": conffile, **conf}

    def connect(self, timeout: int) -> None:
        assert isinstance(timeout, int)
        if self.behaviour == "connect hangs":
            time.sleep(60)
        if self.behaviour.startswith("connect fails "):
            raise RadosError(int(self.behaviour.split()[-1]), "error connecting to the cluster")

    def mon_command(self, text: str, inbuf: bytes) -> tuple[int, bytes, str]:
        command = json.loads(text)
        match command["prefix"]:
            case "echo":
                answer = {"command": command, "inbuf": inbuf.decode(), **self.said}
                return 0, json.dumps(answer).encode(), ""
            case "plain":
                return 0, b"just text", ""
            case "refuse":
                return -22, b"", f"entity exists with key {KEY}"
            case "unsafe":
                return -errno.EBUSY, b'{"ok_to_stop": false}', "unsafe to stop"
            case "hang":
                time.sleep(60)
            case "break":
                raise RadosError(errno.EIO, "broken")
            case "die":
                sys.exit(3)
        return -errno.ETIMEDOUT, b"", ""

    def mgr_command(self, text: str, inbuf: bytes) -> tuple[int, bytes, str]:
        return 0, b'"from the mgr"', ""


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    module = ModuleType("rados")
    module.Rados = Rados  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rados", module)
    monkeypatch.setattr(Rados, "behaviour", "")
    monkeypatch.setattr(ceph_client, "_GRACE_SECONDS", 0.1)
    path = tmp_path / "ceph.conf"
    path.write_text("[global]\n")
    return str(path)


def test_a_command_carries_its_arguments_and_limits(conf: str) -> None:
    with ceph_client.CephClient(name="mon.", conf=conf, keyring="/k", timeout=5) as client:
        answer = client.command("echo", inbuf=b"body", who="osd", ids=["1"])
    assert answer["command"] == {"prefix": "echo", "format": "json", "who": "osd", "ids": ["1"]}
    assert (answer["inbuf"], answer["name"], answer["keyring"]) == ("body", "mon.", "/k")
    assert {answer[option] for option in ceph_client._TIMEOUTS} == {"5"}


def test_text_and_the_mgr_s_answers(conf: str) -> None:
    with ceph_client.CephClient(conf=conf) as client:
        assert client.command("plain") == "just text"
        assert client.command("any", target="mgr") == "from the mgr"


def test_a_refusal_keeps_what_the_command_gave(conf: str) -> None:
    with ceph_client.CephClient(conf=conf) as client, pytest.raises(ceph_client.CephError) as no:
        client.command("unsafe")
    assert (no.value.errno, no.value.output) == (errno.EBUSY, '{"ok_to_stop": false}')


def test_a_refusal_is_in_ceph_s_words_without_the_key(conf: str) -> None:
    with ceph_client.CephClient(conf=conf) as client:
        with pytest.raises(ceph_client.CephError, match="refuse: entity exists") as caught:
            client.command("refuse")
        assert KEY not in str(caught.value)
        assert caught.value.errno == errno.EINVAL
        assert client.command("plain") == "just text"


@pytest.mark.parametrize(
    ("prefix", "number"),
    [
        ("hang", errno.ETIMEDOUT),
        ("die", errno.EPIPE),
        ("break", errno.EIO),
        ("late", errno.ETIMEDOUT),
    ],
)
def test_no_command_outlives_its_limit(conf: str, prefix: str, number: int) -> None:
    started = time.monotonic()
    with (
        ceph_client.CephClient(conf=conf, timeout=0.2) as client,
        pytest.raises(ceph_client.CephError) as caught,
    ):
        client.command(prefix)
    assert caught.value.errno == number
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("behaviour", "text"),
    [
        ("connect hangs", "did not answer within 0.2 s"),
        (f"connect fails {errno.ETIMEDOUT}", "did not answer within 0.2 s"),
        (f"connect fails {errno.EACCES}", "refuses the key of client.admin"),
        (f"connect fails {errno.ENOENT}", "no key found for client.admin"),
    ],
)
def test_why_there_is_no_connection(
    conf: str, monkeypatch: pytest.MonkeyPatch, behaviour: str, text: str
) -> None:
    monkeypatch.setattr(Rados, "behaviour", behaviour)
    with pytest.raises(ceph_client.CephError, match=text):
        ceph_client.CephClient(conf=conf, timeout=0.2).__enter__()


def test_a_missing_binding_is_named(conf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rados", None)
    with pytest.raises(ceph_client.CephError, match="install the package python3-rados"):
        ceph_client.CephClient(conf=conf).__enter__()


def test_a_missing_conf_is_named(conf: str) -> None:
    with pytest.raises(ceph_client.CephError, match=r"/nowhere/ceph\.conf does not exist"):
        ceph_client.CephClient(conf="/nowhere/ceph.conf").__enter__()


def test_without_connection_no_command() -> None:
    with pytest.raises(ceph_client.CephError, match="not connected"):
        ceph_client.CephClient().command("status")


def test_an_error_without_words_gets_the_system_s() -> None:
    error: Any = ceph_client.CephError(errno.EACCES, " ")
    assert error.message == "Permission denied"
