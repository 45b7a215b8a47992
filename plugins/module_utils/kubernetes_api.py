"""The API server as the modules need it: one namespace, plain dictionaries, clear errors."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    managed_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ansible.module_utils.basic import AnsibleModule

    Object = dict[str, Any]
    Objects = list[Object]  # where the method below hides the type

KUBECONFIG = "K8S_AUTH_KUBECONFIG"
SERVICE_KEEPS = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "sessionAffinity")
"""What the API server gives a Service once, for its life."""

_LIMITS = (5.0, 20.0)  # seconds until there is a connection, and until there is an answer
_PAUSE = 0.5
_REFUSED, _GONE, _CONFLICT = 403, 404, 409
_TRIES = 5
_LOG_BYTES = 20_000
_NO_CACHE = "/dev/null/none"  # a file of a name that anyone can guess is no place for it
_VERSIONS = {
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "ServiceMonitor": "monitoring.coreos.com/v1",
}
_GROUPS = {
    kubernetes_cluster.BUDGET: "policy",
    kubernetes_cluster.CRON_JOB: "batch",
    "EndpointSlice": "discovery.k8s.io",
}
"""Kinds of which old servers have an older version alone."""


class KubernetesError(Exception):
    """An answer of the API server that is no success, in its own words."""


class Api:
    """The objects of one namespace."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._client = _client()
        self._newest: dict[str, str] = {}

    def get(self, kind: str, name: str) -> Object | None:
        try:
            found = self._resource(kind).get(name=name, namespace=self._namespace)
        except Exception as error:
            if _status(error) == _GONE:
                return None
            raise _failed(f"get {kind} {name}", error) from error
        return _plain(found)

    def list(self, kind: str, selector: str = "") -> Objects:
        try:
            found = self._resource(kind).get(
                namespace=self._namespace, **({"label_selector": selector} if selector else {})
            )
        except Exception as error:
            raise _failed(f"list {kind}", error) from error
        return [_plain(one) for one in found.items]

    def custom(self, version: str, plural: str, selector: str) -> Objects | None:
        """List custom resources; None where the server has no such, or does not show them."""
        path = f"/apis/{version}/namespaces/{self._namespace}/{plural}"
        query = [("labelSelector", selector)]
        try:
            answer = self._client.request("get", path, query_params=query, serialize=False)
        except Exception as error:
            if _status(error) in (_REFUSED, _GONE):
                return None
            raise _failed(f"list {plural}", error) from error
        return list(json.loads(answer.data).get("items") or ())

    def nodes(self, label: str) -> dict[str, str]:
        """Give the address of each node by its host name, which its `label` has."""
        try:
            found = [_plain(one) for one in self._resource("Node").get().items]
        except Exception as error:
            raise _failed("list Node", error) from error
        return {hostname(node, label): internal_address(node) for node in found}

    def create(self, body: Object) -> Object:
        kind, name = body["kind"], body["metadata"]["name"]
        try:
            return _plain(self._resource(kind).create(body=body, namespace=self._namespace))
        except Exception as error:
            raise _failed(f"create {kind} {name}", error) from error

    def replace(self, body: Object) -> Object:
        kind, name = body["kind"], body["metadata"]["name"]
        try:
            return _plain(
                self._resource(kind).replace(body=body, name=name, namespace=self._namespace)
            )
        except Exception as error:
            raise _failed(f"replace {kind} {name}", error) from error

    def delete(self, kind: str, name: str, uid: str = "") -> bool:
        """Delete an object with all that it owns; say whether it was there."""
        options: Object = {"propagationPolicy": "Background"}
        if uid:
            options["preconditions"] = {"uid": uid}
        try:
            self._resource(kind).delete(name=name, namespace=self._namespace, body=options)
        except Exception as error:
            if _status(error) == _GONE:
                return False
            raise _failed(f"delete {kind} {name}", error) from error
        return True

    def ensure(self, wanted: Object, *, keep: Iterable[str] = ()) -> str:
        """Have the object as it is wanted: give "created", "changed" or "".

        Fields of `keep` below its spec stay as the live object has them: they cannot be changed.
        """
        marked = kubernetes_drift.marked(wanted)
        for attempt in range(_TRIES):
            live = self.get(wanted["kind"], wanted["metadata"]["name"])
            try:
                return self._ensured(live, marked, keep)
            except KubernetesError as error:
                conflict = _status(error.__cause__) == _CONFLICT
                if not conflict or attempt == _TRIES - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _ensured(self, live: Object | None, marked: Object, keep: Iterable[str]) -> str:
        if live is None:
            self.create(marked)
            return "created"
        body = merged(live, marked, keep)
        if not kubernetes_drift.differences(live, body):
            return ""
        self.replace(body)
        return "changed"

    def log(self, pod: str, container: str, lines: int) -> str:
        """Give the last words of a container, nothing where there are none."""
        path = f"/api/v1/namespaces/{self._namespace}/pods/{pod}/log"
        query = [("container", container), ("tailLines", lines), ("limitBytes", _LOG_BYTES)]
        try:
            return str(self._client.request("get", path, query_params=query, serialize=False).data)
        except Exception:  # noqa: BLE001 - the words are a kindness, their absence no error
            return ""

    def newest(self, kind: str) -> str:
        """Give the newest version of such objects that this server has."""
        if kind not in self._newest:
            group = _GROUPS[kind]
            listed = self._client.resources.search(group=group, kind=kind)
            held = [one.group_version for one in listed]
            self._newest[kind] = f"{group}/v1" if f"{group}/v1" in held else f"{group}/v1beta1"
        return self._newest[kind]

    def _resource(self, kind: str) -> Any:  # noqa: ANN401 - kubernetes.dynamic's
        version = self.newest(kind) if kind in _GROUPS else _VERSIONS.get(kind, "v1")
        # Without its prefix each group would be asked for what it has in a version of that name.
        place = {} if "/" in version else {"prefix": "api"}
        return self._client.resources.get(api_version=version, kind=kind, **place)


def hostname(node: Mapping[str, Any], label: str) -> str:
    """Give the name by which manifests and nodeSelectors know a node."""
    labels = node["metadata"].get("labels") or {}
    return str(labels.get(label) or node["metadata"]["name"])


def internal_address(node: Mapping[str, Any]) -> str:
    """Give Rook's choice of a node's addresses: the internal one, or else the external one."""
    listed = (node.get("status") or {}).get("addresses") or []
    found = {one["type"]: str(one["address"]) for one in reversed(listed)}
    return found.get("InternalIP") or found.get("ExternalIP") or ""


def merged(live: Mapping[str, Any], wanted: Object, keep: Iterable[str] = ()) -> Object:
    """Give what to write over a live object: others' labels, annotations and finalizers stay."""
    ours, theirs = wanted["metadata"], live["metadata"]
    metadata = {
        **theirs,
        **ours,
        **{
            part: {**(theirs.get(part) or {}), **(ours.get(part) or {})}
            for part in ("labels", "annotations")
        },
        "finalizers": list(
            dict.fromkeys([*(theirs.get("finalizers") or []), *(ours.get("finalizers") or [])])
        ),
        "ownerReferences": ours.get("ownerReferences") or theirs.get("ownerReferences") or [],
    }
    metadata.pop("managedFields", None)
    body = {**wanted, "metadata": metadata}
    held = live.get("spec") or {}
    kept = {name: held[name] for name in keep if name in held}
    return {**body, "spec": {**wanted["spec"], **kept}} if kept else body


def finish(module: AnsibleModule, reconciled: Callable[..., dict[str, Any]]) -> None:
    """End the module with what `reconciled` gives for its parameters, or with what went wrong."""
    try:
        module.exit_json(**reconciled(module.params, check=module.check_mode))
    except (managed_file.HostError, KubernetesError) as error:
        module.fail_json(msg=str(error))


def until(done: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is so; say whether it came to that in time."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
    return True


def _client() -> Any:  # noqa: ANN401 - kubernetes.dynamic's
    """Connect as the pod's own account, or as the file says that the environment names."""
    try:
        import kubernetes.dynamic  # noqa: PLC0415 - only where it is needed
    except ImportError:
        raise KubernetesError(
            "Python's client of Kubernetes is missing: install the package kubernetes"
        ) from None
    library: Any = kubernetes  # its own hints are not complete
    settings = library.client.Configuration()
    path = os.environ.get(KUBECONFIG) or os.environ.get("KUBECONFIG")
    try:
        if path:
            library.config.load_kube_config(config_file=path, client_configuration=settings)
        else:
            library.config.load_incluster_config(client_configuration=settings)
        client = library.client.ApiClient(settings)
        client.rest_client.request = limited(client.rest_client.request)
        return library.dynamic.DynamicClient(client, cache_file=_NO_CACHE)
    except Exception as error:
        raise KubernetesError(f"the API server cannot be reached: {error}") from error


def limited(request: Callable[..., Any]) -> Callable[..., Any]:
    """Wait for no answer for ever: the client would, for one that was lost on its way."""

    def asked(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - the client's own
        limit = named.pop("_request_timeout", None) or _LIMITS
        return request(*arguments, _request_timeout=limit, **named)

    return asked


def _plain(found: Any) -> Object:  # noqa: ANN401 - kubernetes.dynamic's
    return dict(found.to_dict())


def _status(error: object) -> int:
    return int(getattr(error, "status", 0) or 0)


def _failed(what: str, error: Exception) -> KubernetesError:
    text = getattr(error, "summary", None)
    reason = text() if callable(text) else str(error)
    return KubernetesError(f"{what}: {reason}")
