"""Keeps Ceph daemons of a node as Rook's Deployments, or takes them away."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_daemon
short_description: Keep Ceph daemons as Deployments
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.kubernetes, ceph_orchestrator.ceph.changing]
description:
  - Writes the Deployment of each daemon as Rook makes it, and the Services and disruption budgets
    of its kind. Objects that were deleted or edited by hand are repaired; what is as it should be
    is not written.
  - A Deployment that Rook made is adopted. It gets this module's annotations, and its pods go on
    running. Where they are otherwise than the manifest asks, new ones come as after an edit.
  - A Deployment with the label or annotation C(ceph.rook.io/do-not-reconcile) is left alone.
options:
  node:
    description: The node, by the label C(kubernetes.io/hostname).
    type: str
    required: true
  fsid:
    description: The cluster's fsid. It may be left out where O(conf) has it.
    type: str
    default: ""
  conf:
    description: Settings by section. Only C(fsid) and C(crush_location) are of interest here.
    type: dict
    default: {}
  daemons:
    description:
      - The daemons, as the module M(ceph_orchestrator.ceph.ceph_systemd_daemon) documents them.
        The C(about) of an OSD tells its C(uuid), C(path) and C(device_class).
    type: list
    elements: dict
    required: true
  files:
    description:
      - Files that all these daemons need, as that module documents them. A program among them is
        run by the steps that name it.
    type: list
    elements: dict
    default: []
  wait:
    description:
      - Seconds to wait until changed daemons run in their new pods, and until those of absent
        daemons are gone. Of new daemons only the mons' steps before the start are waited for.
    type: float
    default: 60.0
attributes:
  diff_mode:
    description: It names the fields that would change.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Run a mgr
  ceph_orchestrator.ceph.ceph_kubernetes_daemon:
    cluster: "{{ daemon_cluster }}"
    node: node-1
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    daemons: [{type: mgr, id: a}]
"""

RETURN = r"""
actions:
  description: What was done, in order.
  returned: always
  type: list
  elements: str
  sample: [create Deployment rook-ceph-mgr-a]
daemons:
  description: The daemons, and which of them have new pods though they ran before.
  returned: always
  type: list
  elements: dict
  sample: [{name: mgr.a, unit: rook-ceph-mgr-a, active: true, restarted: false}]
waiting:
  description: Daemons that need new pods and may not be stopped now.
  returned: always
  type: list
  elements: str
  sample: []
"""


import re
import secrets
import string
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_absence,
    kubernetes_adoption,
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_desired,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_pod,
    managed_file,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_ADDRESS = re.compile(r"v[12]:(\[[^\]]+\]|[^:,\[\]]+):")


@dataclass
class Run:
    """What was found and done."""

    actions: list[str] = field(default_factory=list)
    before: dict[str, str] = field(default_factory=dict)
    restarted: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    rolling: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    mons: list[str] = field(default_factory=list)


def address(daemon: Mapping[str, Any]) -> str:
    """Give the IP of a mon from its addresses in Ceph's form."""
    settings = daemon.get("settings") or {}
    found = _ADDRESS.search(str(settings.get("public_addrv") or ""))
    return found[1].strip("[]") if found else str(settings.get("public_addr") or "")


class Keeper:
    """Brings the daemons of one node to their descriptions."""

    def __init__(self, parameters: Mapping[str, Any], *, check: bool) -> None:
        self._check, self._wait = check, float(parameters["wait"])
        self._node = str(parameters["node"])
        self._cluster = kubernetes_cluster.parse(parameters["cluster"])
        self._api = kubernetes_api.Api(self._cluster.namespace)
        daemons = parameters["daemons"]
        section = parameters["conf"].get("global") or {}
        self._known = kubernetes_desired.Daemons(
            cluster=self._cluster,
            fsid=str(parameters["fsid"] or section.get("fsid") or ""),
            node=self._node,
            mons={str(one["id"]): address(one) for one in daemons if one["type"] == "mon"},
            conf=parameters["conf"],
            programs={str(one["path"]): str(one["content"]) for one in parameters["files"]},
            override=self._override(),
        )
        self.run = Run()

    def _override(self) -> str:
        name = kubernetes_cluster.named(kubernetes_pod.CONF_MAP_OF_NODE, self._node)
        there = [name] if self._api.get("ConfigMap", name) else []
        return kubernetes_pod.conf_map(self._node, there)

    def present(self, daemons: Sequence[Mapping[str, Any]]) -> None:
        kinds = {str(one["type"]) for one in daemons}
        version = self._api.newest(kubernetes_cluster.BUDGET)
        for body in kubernetes_desired.shared(self._cluster, kinds, version):
            self._shared(body)
        for name in kubernetes_desired.unwanted(self._cluster, kinds):
            if not self._check and self._api.delete("Service", name):
                self.run.actions.append(f"delete Service {name}")
        if "mgr" in kinds and self._cluster.section("dashboard").get("enabled"):
            self._dashboard_password()
        status = None if self._check else self._known.status_map(daemons)
        if status:
            self._api.ensure(status)
        for daemon in daemons:
            self._daemon(daemon)
        if status:
            self._api.delete("ConfigMap", status["metadata"]["name"])
        if not self._check:
            kubernetes_api.until(self._settled, self._wait)
            self._accepted()

    def _dashboard_password(self) -> None:
        """Make one up, unless somebody made the Secret before: then its value counts."""
        if self._check or self._api.get("Secret", _DASHBOARD):
            return
        letters = string.ascii_letters + string.digits + "!#$%()*+,-./:;<=>?@[]^_|~"
        password = "".join(secrets.choice(letters) for _turn in range(_PASSWORD_LENGTH))
        values = {"password": password}
        self._api.create(kubernetes_identity.secret(self._cluster, _DASHBOARD, values))
        self.run.actions.append(f"create Secret {_DASHBOARD}")

    def _shared(self, body: dict[str, Any]) -> None:
        keep = kubernetes_api.SERVICE_KEEPS if body["kind"] == "Service" else ()
        did = "" if self._check else self._api.ensure(body, keep=keep)
        if did:
            self.run.actions.append(f"{_VERBS[did]} {body['kind']} {body['metadata']['name']}")

    def _daemon(self, daemon: Mapping[str, Any]) -> None:
        wanted = self._known.deployment(daemon)
        name = wanted["metadata"]["name"]
        live = self._api.get("Deployment", name)
        if kubernetes_cluster.is_left_alone(live):
            return
        if daemon["type"] == "mon":  # no other daemon has a step that may refuse
            self.run.mons.append(name)
        if live and kubernetes_adoption.is_strange(live):
            self._adopt(live, wanted, str(daemon["type"]))
            return
        keep = ("selector",)
        body = (
            kubernetes_api.merged(live, kubernetes_drift.marked(wanted), keep) if live else wanted
        )
        differing = kubernetes_drift.differences(live, body) if live else ["all of it"]
        fresh = kubernetes_drift.template_differs(live, body) if live else []
        if fresh and not daemon.get("restart", True):
            self.run.waiting.append(f"{daemon['type']}.{daemon['id']}")
            return
        if not differing:
            return
        self.run.before[name] = kubernetes_drift.told(differing)
        self.run.actions.append(f"{'change' if live else 'create'} Deployment {name}")
        if fresh:
            self.run.restarted.append(f"{daemon['type']}.{daemon['id']}")
        if not self._check:
            self._api.ensure(wanted, keep=keep)
            (self.run.rolling if live else self.run.made).append(name)

    def _adopt(self, live: dict[str, Any], wanted: dict[str, Any], kind: str) -> None:
        """Note that it is kept from now on; whatever else it needs, the next look tells."""
        self.run.actions.append(f"adopt Deployment {wanted['metadata']['name']}")
        if not self._check:
            self._api.replace(kubernetes_adoption.adopted(live, wanted, kind))

    def _settled(self) -> bool:
        """New pods run and the old ones are gone: only then may another daemon be stopped.

        A daemon that had none before is waited for until its steps before the start are done: Ceph
        itself tells soon after whether it works, and the probes of its pod only much later. One
        that refuses to start is not waited for.
        """
        found = [live for name in self.run.rolling if (live := self._api.get("Deployment", name))]
        waiting = [live for live in found if not kubernetes_desired.rolled_out(live)]
        if waiting:
            return bool(self._refusals(waiting))
        return all(map(self._begun, set(self.run.made) & set(self.run.mons)))

    def _begun(self, mon: str) -> bool:
        live = self._api.get("Deployment", mon)
        return live is None or kubernetes_desired.begun(self._pods(live))

    def _accepted(self) -> None:
        """Fail with the words of a daemon that refuses to start, whoever made its Deployment."""
        mons = [self._api.get("Deployment", name) for name in self.run.mons]
        refused = self._refusals([one for one in mons if one])
        if refused:
            raise managed_file.HostError("; ".join(refused))

    def _refusals(self, deployments: Sequence[Mapping[str, Any]]) -> list[str]:
        return kubernetes_desired.refusals([pod for one in deployments for pod in self._pods(one)])

    def _pods(self, deployment: Mapping[str, Any]) -> list[dict[str, Any]]:
        wanted = deployment["spec"]["selector"]["matchLabels"]
        return self._api.list("Pod", kubernetes_cluster.as_text(wanted))

    def absent(self, daemons: Sequence[Mapping[str, Any]]) -> None:
        if not daemons:
            return
        self.run.actions += kubernetes_absence.take_away(
            self._api, self._cluster, daemons, self._wait, check=self._check
        )
        self.run.actions += kubernetes_absence.beside(
            self._api, self._cluster, self._node, check=self._check
        )


_DASHBOARD = "rook-ceph-dashboard-password"
_PASSWORD_LENGTH = 20
_VERBS = {"created": "create", "changed": "change"}


def _kept(parameters: Mapping[str, Any], *, check: bool) -> dict[str, Any]:
    keeper = Keeper(parameters, check=check)
    daemons = parameters["daemons"]
    present = [one for one in daemons if one.get("state", "present") == "present"]
    keeper.absent([one for one in daemons if one not in present])
    if present:
        keeper.present(present)
    run = keeper.run
    return {
        "changed": bool(run.actions),
        "actions": run.actions,
        "daemons": [_told(one, run) for one in present],
        "waiting": run.waiting,
        "diff": {"before": dict.fromkeys(run.before, ""), "after": run.before},
    }


def _told(daemon: Mapping[str, Any], run: Run) -> dict[str, Any]:
    name = f"{daemon['type']}.{daemon['id']}"
    unit = kubernetes_cluster.deployment_name(daemon["type"], str(daemon["id"]))
    return {"name": name, "unit": unit, "active": True, "restarted": name in run.restarted}


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "node": {"type": "str", "required": True},
            "fsid": {"type": "str", "default": ""},
            "conf": {"type": "dict", "default": {}},
            "daemons": {"type": "list", "elements": "dict", "required": True},
            "files": {"type": "list", "elements": "dict", "default": []},
            "wait": {"type": "float", "default": 60.0},
        },
        supports_check_mode=True,
    )
    kubernetes_api.finish(module, _kept)


if __name__ == "__main__":
    main()
