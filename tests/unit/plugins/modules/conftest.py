"""Runs a module's main() as Ansible would, with a cluster that answers from a table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from ansible.module_utils import basic
from ansible.module_utils.testing import patch_module_args
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

FSID = "0a1b2c3d-1111-4222-8333-444455556666"


class ModuleExit(Exception):  # noqa: N818 - it carries a result, good or bad
    def __init__(self, result: dict[str, Any]) -> None:
        super().__init__(str(result.get("msg", "")))
        self.result = result


class FakeCluster:
    """Answers commands by their prefix; a list is answered one by one, the last for ever."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {"fsid": {"fsid": FSID}}
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def command(self, prefix: str, **arguments: Any) -> Any:
        self.sent.append((prefix, arguments))
        answer = self.answers.get(prefix, "")
        if callable(answer):
            answer = answer(**arguments)
        if isinstance(answer, list) and answer and isinstance(answer[0], Answer):
            answer = (answer.pop(0) if len(answer) > 1 else answer[0]).value
        if isinstance(answer, Exception):
            raise answer
        return answer

    def changes(self) -> list[tuple[str, dict[str, Any]]]:
        reads = ("auth get", "config dump", "fsid", "mgr module ls", "mgr stat", "osd tree")
        more = ("mon dump", "mgr dump", "osd dump", "status", "config-key get", "config-key exists")
        return [sent for sent in self.sent if sent[0] not in (*reads, *more)]


class Answer:
    def __init__(self, value: Any) -> None:
        self.value = value


@pytest.fixture
def ceph(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    fake = FakeCluster()

    @contextmanager
    def connected(_parameters: dict[str, Any]) -> Iterator[FakeCluster]:
        yield fake

    monkeypatch.setattr(cluster, "connected", connected)
    monkeypatch.setattr(cluster, "is_unknown", lambda: False)
    return fake


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    def finish(_module: basic.AnsibleModule, **result: Any) -> None:
        raise ModuleExit(result)

    def fail(_module: basic.AnsibleModule, msg: str, **result: Any) -> None:
        raise ModuleExit({"failed": True, "msg": msg, **result})

    monkeypatch.setattr(basic.AnsibleModule, "exit_json", finish)
    monkeypatch.setattr(basic.AnsibleModule, "fail_json", fail)

    def call(module: ModuleType, *, check: bool = False, **arguments: Any) -> dict[str, Any]:
        with (
            patch_module_args({**arguments, "_ansible_check_mode": check}),
            pytest.raises(ModuleExit) as caught,
        ):
            module.main()
        return caught.value.result

    return call


def refusal(number: int, text: str) -> CephError:
    return CephError(number, text)
