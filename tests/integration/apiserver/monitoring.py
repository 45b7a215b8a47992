"""The kind ServiceMonitor on an API server, with what the Prometheus operator documents of it.

Only the fields that are used here: a server drops what a definition does not have, so a field of
another name would be missed.
"""

from pathlib import Path
from typing import Any

from orchestrator.stores.kubernetes.connection import Kind, connect
from tests.integration.apiserver.site import CRD, made
from tests.waiting import eventually

SERVICE_MONITOR = Kind("monitoring.coreos.com/v1", "ServiceMonitor")

STRING = {"type": "string"}
STRINGS = {"type": "object", "additionalProperties": STRING}


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


RELABELING = fields(targetLabel=STRING, replacement=STRING)
ENDPOINT = fields(
    port=STRING,
    path=STRING,
    interval={"type": "string", "pattern": "^([0-9]+(ms|s|m|h|d|w|y))+$"},
    relabelings={"type": "array", "items": RELABELING},
)
SPEC = fields(
    namespaceSelector=fields(matchNames={"type": "array", "items": STRING}),
    selector=fields(matchLabels=STRINGS),
    endpoints={"type": "array", "items": ENDPOINT},
)
DEFINITION = {
    "apiVersion": CRD.api_version,
    "kind": CRD.name,
    "metadata": {"name": "servicemonitors.monitoring.coreos.com"},
    "spec": {
        "group": "monitoring.coreos.com",
        "scope": "Namespaced",
        "names": {
            "kind": "ServiceMonitor",
            "listKind": "ServiceMonitorList",
            "plural": "servicemonitors",
            "singular": "servicemonitor",
        },
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {"spec": {**SPEC, "required": ["endpoints", "selector"]}},
                    }
                },
            }
        ],
    },
}


def serve(kubeconfig: Path) -> None:
    """Have the server know the kind, and wait until it serves it."""
    connection = connect(kubeconfig)
    made(connection, CRD, DEFINITION)
    eventually(lambda: SERVICE_MONITOR in connection.served(SERVICE_MONITOR.api_version))
