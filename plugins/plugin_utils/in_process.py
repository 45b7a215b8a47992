"""Runs modules in Ansible's own process, where the environment asks for it.

Beside Ansible itself a short task is mostly the start of one more Python and of all that it
imports. The operator has nearly all its tasks there. Ansible forks for each task, so a module has a
process of its own as ever, and what its code imports is read once for a whole run.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
from typing import Any

from ansible.module_utils import basic
from ansible.plugins.action.normal import ActionModule as Normal

ASKED = "CEPH_ORCHESTRATOR_IN_PROCESS"

_MODULES = "ansible_collections.ceph_orchestrator.ceph.plugins.modules"
_PROFILE = "legacy"
_CLIENTS = {True: "kubernetes.dynamic", False: "rados"}


def action(name: str) -> type[Normal]:
    """Give the action plugin of a module; without the wish, Ansible's own way of running it."""
    return type("ActionModule", (_Action,), {"code": _code(name) if _is_asked() else None})


def _is_asked() -> bool:
    """Ansible before 2.19 hands modules their parameters otherwise."""
    return bool(os.environ.get(ASKED)) and hasattr(basic, "_ANSIBLE_PROFILE")


def _code(name: str) -> Any:  # noqa: ANN401 - a module
    with contextlib.suppress(ImportError):  # whoever needs it says so
        importlib.import_module(_CLIENTS[name.startswith("ceph_kubernetes_")])
    return importlib.import_module(f"{_MODULES}.{name}")


class _Action(Normal):  # type: ignore[misc]  # Ansible has no types
    code: Any = None

    def _execute_module(self, *args: Any, **options: Any) -> dict[str, Any]:  # noqa: ANN401
        elsewhere = options.get("wrap_async") or self._connection.transport != "local"
        if self.code is None or elsewhere:
            found: dict[str, Any] = super()._execute_module(*args, **options)
            return found
        given = dict(self._task.args)
        self._update_module_args(self._task.action, given, options.get("task_vars") or {})
        answer = {"stdout": self._said(given), "stderr": ""}
        told: Any = self._parse_returned_data(answer, _PROFILE)
        if hasattr(told, "as_result_dict"):  # since 2.21
            told = told.as_result_dict(for_round_trip=True)
        return dict(told)

    def _said(self, given: dict[str, Any]) -> str:
        """Give what the module prints; its own process, this fork, ends with the task."""
        from ansible.module_utils.common import json as profiles  # noqa: PLC0415 - not in old ones

        encoder = profiles.get_module_encoder(_PROFILE, profiles.Direction.CONTROLLER_TO_MODULE)
        text = json.dumps({"ANSIBLE_MODULE_ARGS": given}, cls=encoder)
        vars(basic).update(_ANSIBLE_ARGS=text.encode(), _ANSIBLE_PROFILE=_PROFILE)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            self.code.main()
        return said.getvalue()
