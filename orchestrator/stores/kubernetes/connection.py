"""One API server, spoken to in plain dictionaries through the dynamic client.

Generated models would refuse what real servers send (a `null` where a list is expected, CASES C45),
and what the server offers is asked of it and not assumed. This and its neighbours are the only
importers of the kubernetes client, which takes a second to import: commands that do not need it
must not pay for it.
"""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.config import ConfigException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import DynamicApiError, ResourceNotFoundError
from urllib3.exceptions import HTTPError, MaxRetryError
from yaml import YAMLError

from orchestrator.stores import AccessError, SilentError, StoreError

Object = dict[str, Any]

CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 30.0
MOST_CONNECTIONS = 64
"""Each watch holds one; further ones are opened and closed at once."""

NOT_FOUND, CONFLICT, GONE, BROKEN = 404, 409, 410, 500
NO_CACHE = "/dev/null/none"
"""The client would keep what the server offers in a file of a name that anyone can guess."""

IN_A_POD = "KUBERNETES_SERVICE_HOST"
MERGE = "application/merge-patch+json"


class ConflictError(StoreError):
    """The object was changed, or made, by somebody else in the meantime."""


class NotServedError(StoreError):
    """The API server knows no such kind: its CustomResourceDefinition is not there."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object with the version that is spoken.

    `older` is what servers have that do not know that version yet.
    """

    api_version: str
    name: str
    older: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.api_version})"


CEPH_CLUSTER = Kind("ceph.rook.io/v1", "CephCluster")
CONFIG_MAP = Kind("v1", "ConfigMap")
CRON_JOB = Kind("batch/v1", "CronJob", older="batch/v1beta1")
DEPLOYMENT = Kind("apps/v1", "Deployment")
EVENT = Kind("v1", "Event")
DISRUPTION_BUDGET = Kind("policy/v1", "PodDisruptionBudget", older="policy/v1beta1")
ENDPOINT_SLICE = Kind("discovery.k8s.io/v1", "EndpointSlice", older="discovery.k8s.io/v1beta1")
LEASE = Kind("coordination.k8s.io/v1", "Lease")
NODE = Kind("v1", "Node")
PERSISTENT_VOLUME = Kind("v1", "PersistentVolume")
SECRET = Kind("v1", "Secret")
SERVICE = Kind("v1", "Service")
SERVICE_MONITOR = Kind("monitoring.coreos.com/v1", "ServiceMonitor")


class Connection:
    """Reads and writes objects; what goes wrong is a StoreError that names the object."""

    def __init__(self, api: client.ApiClient) -> None:
        self.api = api
        self._dynamic: DynamicClient | None = None
        self._discovering = threading.RLock()

    @property
    def dynamic(self) -> DynamicClient:
        """The dynamic client; making it asks the server what it offers."""
        with self._discovering:
            if self._dynamic is None:
                self._dynamic = DynamicClient(self.api, cache_file=NO_CACHE)
            return self._dynamic

    def resource(self, kind: Kind) -> Any:  # noqa: ANN401 - the dynamic client has no types
        """What the server offers for a kind; NotServedError when it does not offer it.

        One thread at a time: the client empties what it has learnt while it looks for more.
        """
        try:
            with self._discovering:
                return self.dynamic.resources.get(api_version=kind.api_version, kind=kind.name)
        except ResourceNotFoundError as error:
            if kind.older:
                return self.resource(Kind(kind.older, kind.name))
            raise NotServedError(f"the API server serves no {kind}") from error

    def served(self, api_version: str) -> tuple[Kind, ...]:
        """The kinds of a group's version that the server offers now; none if it has no such."""
        with told(f"cannot list the kinds of {api_version}"):
            try:
                response = self.dynamic.request("get", f"/apis/{api_version}", serialize=False)
            except (DynamicApiError, ApiException) as error:
                if error.status == NOT_FOUND:
                    return ()
                raise
        found = json.loads(response.data).get("resources") or ()
        return tuple(Kind(api_version, one["kind"]) for one in found if "/" not in one["name"])

    def get(self, kind: Kind, namespace: str, name: str) -> Object | None:
        """The object, None when there is none; `namespace` is empty for what has none."""
        with told(f"cannot read {_where(kind, namespace, name)}"):
            try:
                return self._ask(kind, "get", name=name, namespace=namespace or None)
            except (DynamicApiError, ApiException) as error:
                if error.status == NOT_FOUND:
                    return None
                raise

    def list(self, kind: Kind, namespace: str = "", *, labels: str = "") -> list[Object]:
        """All objects of a kind, in a namespace or in all; `items: null` is no object (C45)."""
        with told(f"cannot list {_where(kind, namespace, '')}"):
            found = self._ask(
                kind, "get", namespace=namespace or None, label_selector=labels or None
            )
            return list(found.get("items") or ())

    def create(self, kind: Kind, body: Mapping[str, Any]) -> Object:
        """Make the object; ConflictError when there is one of its name."""
        with told(f"cannot create {_named(kind, body)}"):
            return self._ask(kind, "create", body=dict(body), namespace=_namespace(body))

    def replace(self, kind: Kind, body: Mapping[str, Any], *, subresource: str = "") -> Object:
        """Put the object as it is; ConflictError when it was changed since it was read."""
        with told(f"cannot write {_named(kind, body)}"):
            return self._ask(
                kind,
                "replace",
                subresource=subresource,
                body=dict(body),
                name=body["metadata"]["name"],
                namespace=_namespace(body),
            )

    def patch(self, kind: Kind, namespace: str, name: str, body: Mapping[str, Any]) -> Object:
        """Merge `body` into the object (RFC 7396: null removes)."""
        with told(f"cannot change {_where(kind, namespace, name)}"):
            return self._ask(
                kind,
                "patch",
                body=dict(body),
                name=name,
                namespace=namespace or None,
                content_type=MERGE,
            )

    def delete(self, kind: Kind, namespace: str, name: str, *, uid: str = "") -> None:
        """Delete the object, with `uid` only that very one; one that is gone is as wanted."""
        body = {"preconditions": {"uid": uid}} if uid else {}
        with told(f"cannot delete {_where(kind, namespace, name)}"):
            try:
                self._ask(kind, "delete", name=name, namespace=namespace or None, body=body)
            except (DynamicApiError, ApiException) as error:
                if error.status != NOT_FOUND:
                    raise

    def _ask(self, kind: Kind, verb: str, *, subresource: str = "", **arguments: Any) -> Object:  # noqa: ANN401
        found = self.resource(kind)
        target = getattr(found, subresource) if subresource else found
        response = getattr(target, verb)(
            serialize=False, _request_timeout=(CONNECT_SECONDS, ANSWER_SECONDS), **arguments
        )
        answer = json.loads(response.data)
        return answer if isinstance(answer, dict) else {}


def connect(kubeconfig: Path | None = None, context: str = "") -> Connection:
    """Connect as the pod's service account, or as the kubeconfig says (default: $KUBECONFIG).

    Nothing is asked of the server yet. Raises AccessError.
    """
    try:
        settings = client.Configuration()
        if kubeconfig is None and IN_A_POD in os.environ:
            config.load_incluster_config(client_configuration=settings)
        else:
            config.load_kube_config(
                str(kubeconfig) if kubeconfig else None,
                context=context or None,
                client_configuration=settings,
            )
    except (ConfigException, OSError, ValueError) as error:
        text = _first_line(error).removesuffix(f" in {kubeconfig}")
        raise AccessError(_unusable(kubeconfig, text)) from error
    except (AttributeError, KeyError, TypeError, YAMLError) as error:
        # The client looks into whatever it is given.
        raise AccessError(_unusable(kubeconfig, "it is no kubeconfig")) from error
    settings.connection_pool_maxsize = MOST_CONNECTIONS
    settings.tcp_keepalive = True
    api = client.ApiClient(settings)
    api.rest_client.request = limited(api.rest_client.request)
    return Connection(api)


def limited(request: Callable[..., Any]) -> Callable[..., Any]:
    """The client's transport, which waits for no answer longer than for ours.

    The client sets no limit where it asks by itself, for what the server offers: what is lost on
    its way would be waited for until the kernel gives up, a quarter of an hour.
    """

    def asked(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - the client's own
        limit = named.pop("_request_timeout", None) or (CONNECT_SECONDS, ANSWER_SECONDS)
        return request(*arguments, _request_timeout=limit, **named)

    return asked


def _unusable(kubeconfig: Path | None, reason: str) -> str:
    return (
        f"cannot use {kubeconfig or 'the kubeconfig'}: {reason}; "
        "remedy: name one that `kubectl --kubeconfig` takes"
    )


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn what the client and its transport raise into a StoreError of one line."""
    try:
        yield
    except (DynamicApiError, ApiException) as error:
        raise _kind(error)(f"{what}: {_cause(error)}") from error
    except MaxRetryError as error:
        raise SilentError(f"{what}: {_silence(error)}") from error
    except (HTTPError, OSError) as error:
        raise SilentError(f"{what}: {_first_line(error)}") from error
    except ValueError as error:
        raise StoreError(f"{what}: {_first_line(error)}") from error


def _kind(error: Any) -> type[StoreError]:  # noqa: ANN401 - two classes without types
    """A server that is broken, or none (status 0: its certificate was refused), says nothing."""
    if error.status == CONFLICT:
        return ConflictError
    return SilentError if not error.status or error.status >= BROKEN else StoreError


def retried(change: Callable[[], Object | None], *, times: int = 10) -> Object | None:
    """Read, change and write again while somebody else writes in between."""
    for _ in range(times - 1):
        try:
            return change()
        except ConflictError:
            continue
    return change()


def _cause(error: Any) -> str:  # noqa: ANN401 - two classes without types
    try:
        told_by_server = json.loads(error.body or "").get("message", "")
    except (ValueError, AttributeError):
        told_by_server = ""
    return f"{error.status} {error.reason}" + (f": {told_by_server}" if told_by_server else "")


def _silence(error: MaxRetryError) -> str:
    """Say which server did not answer, and why, without the names of the client's classes."""
    pool = error.pool
    reason = _first_line(error.reason or error).rpartition(": ")[2]
    return f"no answer from {pool.host}:{pool.port}: {reason}"


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _namespace(body: Mapping[str, Any]) -> str | None:
    return body["metadata"].get("namespace") or None


def _named(kind: Kind, body: Mapping[str, Any]) -> str:
    meta = body.get("metadata") or {}
    return _where(kind, meta.get("namespace", ""), meta.get("name", ""))


def _where(kind: Kind, namespace: str, name: str) -> str:
    place = "/".join(part for part in (namespace, name) if part)
    return f"{kind.name} {place}".strip()
