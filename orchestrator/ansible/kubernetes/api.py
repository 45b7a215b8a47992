"""What the runner itself needs of the API server: nodes, its Jobs and pods, and its notes."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import DynamicApiError
from urllib3.exceptions import HTTPError

Object = dict[str, Any]

NOT_FOUND, CONFLICT = 404, 409
SECONDS = (5.0, 30.0)
PAUSE_SECONDS = 0.3


class ApiError(OSError):
    """An answer that is no success, or none at all; one line."""


class Api:
    """Plain dictionaries in one namespace; an object that is not there is None."""

    def __init__(self, client: DynamicClient, namespace: str) -> None:
        self._client, self._namespace = client, namespace

    def nodes(self) -> list[Object]:
        return list(self._ask("GET", "/api/v1/nodes").get("items") or ())

    def pods(self, selector: str) -> list[Object]:
        return self._list(f"{self._home('/api/v1')}/pods", selector)

    def jobs(self, selector: str) -> list[Object]:
        return self._list(f"{self._home('/apis/batch/v1')}/jobs", selector)

    def create_job(
        self, body: Object, seconds: float, canceled: Callable[[], bool] = lambda: False
    ) -> Object:
        """Make a Job; one of the same name may for so long still be on its way out."""
        until = time.monotonic() + seconds
        while True:
            try:
                return self._ask("POST", f"{self._home('/apis/batch/v1')}/jobs", body)
            except ApiError as error:
                if _status(error) != CONFLICT or time.monotonic() > until or canceled():
                    raise
            time.sleep(PAUSE_SECONDS)

    def delete_job(self, name: str) -> None:
        options = {"propagationPolicy": "Background", "gracePeriodSeconds": 0}
        self._gone(f"{self._home('/apis/batch/v1')}/jobs/{name}", options)

    def delete_pod(self, name: str) -> None:
        self._gone(f"{self._home('/api/v1')}/pods/{name}", {"gracePeriodSeconds": 1})

    def config_maps(self, selector: str) -> list[Object]:
        return self._list(f"{self._home('/api/v1')}/configmaps", selector)

    def config_map(self, name: str) -> Object | None:
        return self._maybe(f"{self._home('/api/v1')}/configmaps/{name}")

    def secret(self, name: str) -> Object | None:
        return self._maybe(f"{self._home('/api/v1')}/secrets/{name}")

    def delete_config_map(self, name: str) -> None:
        self._gone(f"{self._home('/api/v1')}/configmaps/{name}", {})

    def put_config_map(self, body: Object) -> None:
        """Write a note of ours; nobody else writes it, so the last one counts."""
        home, name = f"{self._home('/api/v1')}/configmaps", body["metadata"]["name"]
        try:
            self._ask("PUT", f"{home}/{name}", body)
        except ApiError as error:
            if _status(error) != NOT_FOUND:
                raise
            self._ask("POST", home, body)

    def _home(self, group: str) -> str:
        return f"{group}/namespaces/{self._namespace}"

    def _list(self, path: str, selector: str) -> list[Object]:
        return list(self._ask("GET", path, query={"labelSelector": selector}).get("items") or ())

    def _maybe(self, path: str) -> Object | None:
        try:
            return self._ask("GET", path)
        except ApiError as error:
            if _status(error) == NOT_FOUND:
                return None
            raise

    def _gone(self, path: str, options: Mapping[str, Any]) -> None:
        try:
            self._ask("DELETE", path, dict(options))
        except ApiError as error:
            if _status(error) != NOT_FOUND:
                raise

    def _ask(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        *,
        query: Mapping[str, str] | None = None,
    ) -> Object:
        try:
            answer = self._client.request(
                method.lower(),
                path,
                body=body,
                query_params=list((query or {}).items()),
                serialize=False,
                _request_timeout=SECONDS,
            )
        except (DynamicApiError, ApiException) as error:
            raise ApiError(f"{method} {path}: {error.status} {error.reason}") from error
        except HTTPError as error:
            raise ApiError(f"{method} {path}: {str(error).splitlines()[0]}") from error
        found = json.loads(answer.data)
        return found if isinstance(found, dict) else {}


def _status(error: ApiError) -> int:
    cause = error.__cause__
    return int(getattr(cause, "status", 0) or 0)
