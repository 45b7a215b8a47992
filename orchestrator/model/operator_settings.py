"""Rook's settings of the operator that change what clusters are made of (pure).

They stand in the environment, where the ConfigMap `rook-ceph-operator-config` puts them. As in Rook
a value that says nothing sensible counts as its default, and is named in the log.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

LOOPS = "ROOK_CEPH_ALLOW_LOOP_DEVICES"
SECONDS = "ROOK_CEPH_COMMANDS_TIMEOUT_SECONDS"
HOST_NETWORK = "ROOK_ENFORCE_HOST_NETWORK"
REVISIONS = "ROOK_REVISION_HISTORY_LIMIT"
LABEL = "ROOK_CUSTOM_HOSTNAME_LABEL"

COMMAND_SECONDS = 15
HOSTNAME = "kubernetes.io/hostname"

OWN_NETWORKS = (
    ("network", "hostNetwork"),
    ("mgr", "hostNetwork"),
    ("monitoring", "exporter", "hostNetwork"),
)
"""Where a manifest says whether pods are on the nodes' network, beside `network.provider`."""

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSettings:
    """`command_seconds` is what a command of Ceph may take, `hostname_label` names nodes.

    With `on_host_network` all pods are on it, whatever manifests say. `revisions` of Deployments
    are kept by Kubernetes; None: by our own default.
    """

    allow_loop_devices: bool = False
    command_seconds: int = COMMAND_SECONDS
    on_host_network: bool = False
    revisions: int | None = None
    hostname_label: str = HOSTNAME

    def applied(self, raw: Raw) -> dict[str, Any]:
        """A CephCluster as it counts: on the host's network where that is enforced."""
        if not self.on_host_network:
            return dict(raw)
        spec = raw.get("spec") or {}
        bare = spec
        for path in OWN_NETWORKS:
            bare = _without(bare, path)
        network = {**(bare.get("network") or {}), "provider": "host"}
        return {**raw, "spec": {**bare, "network": network}}

    @property
    def told(self) -> dict[str, Any]:
        """What builders of objects have to know beside the CephCluster, if it is not as usual."""
        found = {
            "hostnameLabel": self.hostname_label if self.hostname_label != HOSTNAME else None,
            "revisionHistoryLimit": self.revisions,
            "hostNetwork": self.on_host_network or None,
        }
        return {name: value for name, value in found.items() if value is not None}


def read(environment: Mapping[str, str]) -> OperatorSettings:
    """The settings of an environment, with defaults for what is not there or not sensible."""
    return OperatorSettings(
        allow_loop_devices=_is_true(environment, LOOPS),
        command_seconds=_number(environment, SECONDS, least=1) or COMMAND_SECONDS,
        on_host_network=_is_true(environment, HOST_NETWORK),
        revisions=_number(environment, REVISIONS, least=0),
        hostname_label=environment.get(LABEL, "") or HOSTNAME,
    )


def doubts(environment: Mapping[str, str]) -> Iterator[str]:
    """What is said of values that count as their default."""
    for name, least in ((SECONDS, 1), (REVISIONS, 0)):
        text = environment.get(name, "")
        if text and _number(environment, name, least=least) is None:
            yield f"{name} is {text!r}, and must be a whole number of at least {least}: not used"
    for name in (LOOPS, HOST_NETWORK):
        text = environment.get(name, "")
        if text and text.lower() not in {"true", "false"}:
            yield f"{name} is {text!r}, and must be true or false: taken for false"


def _without(section: Raw, path: tuple[str, ...]) -> dict[str, Any]:
    """A copy of `section` that lacks what stands at `path`."""
    name, rest = path[0], path[1:]
    inner = section.get(name)
    if not rest or not isinstance(inner, Mapping):
        return {key: value for key, value in section.items() if rest or key != name}
    return {**section, name: _without(inner, rest)}


def _is_true(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").lower() == "true"


def _number(environment: Mapping[str, str], name: str, *, least: int) -> int | None:
    text = environment.get(name, "")
    number = int(text) if text.isascii() and text.isdigit() else -1
    return number if number >= least else None
