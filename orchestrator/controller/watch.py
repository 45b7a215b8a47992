"""The arrow from the API server to the queue: one informer for each kind that can wake a pass.

The informer is the kubernetes client's. What it lacks stands here: pauses while the server does not
answer, a fresh list when a version is of no use any more without a 410 (another etcd behind the
server), and objects told apart by their uid, so that one made anew under an old name is seen as a
deletion and an addition (CASES C45). If a list fails, nothing is deemed deleted.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import DynamicApiError
from kubernetes.informer import ADDED, DELETED, ERROR, MODIFIED, SharedInformer

from orchestrator.controller.logs import log
from orchestrator.controller.sightings import News, Raw, Sightings, View, identity_text
from orchestrator.stores.kubernetes.connection import (
    CONNECT_SECONDS,
    GONE,
    NOT_FOUND,
    Connection,
    Kind,
    NotServedError,
)

RESYNC_SECONDS = 600
"""A full list so often repairs what any watch may have missed (CASES C45)."""

LATE_SECONDS = 30
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0
TRIED_BEFORE_LISTING = 3

FORBIDDEN = 403

METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

Told = Callable[[News, Raw], None]
Failed = Callable[[Kind, Exception], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is watched: a kind, where, and what of it counts.

    With `metadata_only` the server sends no content: no Secret's data comes into this process.
    What is there at the start is no news unless it is `announced`: clusters begin with a pass.
    A kind that is `optional` may be lacking, or not be shown to us: then there is nothing of it.
    """

    kind: Kind
    view: View
    namespace: str = ""
    labels: str = ""
    metadata_only: bool = False
    announced: bool = False
    optional: bool = False


@dataclass(slots=True)
class Listing:
    """A list as the informer reads it: attributes, with plain dictionaries as items."""

    items: list[dict[str, Any]]
    metadata: "Version"


@dataclass(slots=True)
class Version:
    """The version of a list, as the informer reads it."""

    resource_version: str


@dataclass(slots=True)
class Source:
    """The function that the informer lists and watches with."""

    connection: Connection
    subject: Subject
    resync_seconds: int
    failures: int = 0

    def read(self, **arguments: Any) -> object:  # noqa: ANN401 - the informer's own arguments
        """A Listing, or the stream of a watch.

        The return type makes the informer take dictionaries and note their versions.
        """
        watching = bool(arguments.get("watch"))
        if watching and self.failures >= TRIED_BEFORE_LISTING:
            raise ApiException(status=GONE, reason="the watch failed again and again")
        response = self.connection.resource(self.subject.kind).get(
            serialize=False,
            namespace=self.subject.namespace or None,
            label_selector=self.subject.labels or None,
            resource_version=arguments.get("resource_version"),
            timeout_seconds=arguments.get("timeout_seconds"),
            watch=watching or None,
            header_params=self._headers(watching=watching),
            _request_timeout=(CONNECT_SECONDS, self.resync_seconds + LATE_SECONDS),
        )
        if watching:
            return response
        self.failures = 0
        return _listing(json.loads(response.data))

    def _headers(self, *, watching: bool) -> dict[str, str]:
        if not self.subject.metadata_only:
            return {}
        return {"Accept": METADATA if watching else METADATA_LIST}


@dataclass(slots=True)
class Watch:
    """One informer at work; `told` hears of news alone."""

    connection: Connection
    subject: Subject
    told: Told
    failed: Failed = lambda _kind, _error: None
    resync_seconds: int = RESYNC_SECONDS
    synced: threading.Event = field(default_factory=threading.Event)
    _sightings: Sightings = field(init=False)
    _source: Source = field(init=False)
    _informer: SharedInformer = field(init=False)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _connected: float = 0.0
    _stream: Any = None

    def __post_init__(self) -> None:
        self._sightings = Sightings(self.subject.view)
        self._source = Source(self.connection, self.subject, self.resync_seconds)
        self._informer = SharedInformer(
            self._read, resync_period=self.resync_seconds, key_func=identity_text
        )
        self._informer.add_event_handler(ADDED, self._seen)
        self._informer.add_event_handler(MODIFIED, self._seen)
        self._informer.add_event_handler(DELETED, self._gone)
        self._informer.add_event_handler(ERROR, self._pause)

    def start(self) -> None:
        self._informer.start()

    def stop(self) -> None:
        """End the watch; the thread is gone when this returns.

        The informer cannot end a stream that was opened in this very moment, so that is done here:
        either the stream is seen from here, or `_stopped` from there.
        """
        self._stopped.set()
        _shut(self._stream)
        self._informer.stop()

    def _read(self, **arguments: Any) -> object:  # noqa: ANN401 - the informer's own arguments
        watching = bool(arguments.get("watch"))
        if watching:
            self.synced.set()
            self._wait_a_moment()
        try:
            found = self._source.read(**arguments)
        except (ApiException, DynamicApiError, NotServedError) as error:
            if not (self.subject.optional and _is_lacking(error)):
                raise
            return self._nothing(watching=watching)
        if watching:
            self._stream = found
        if self._stopped.is_set():
            _shut(self._stream)
        return found

    def _nothing(self, *, watching: bool) -> Listing:
        """Of a kind that is lacking: an empty list, and a new one in as long as full lists come."""
        if watching:
            self._stopped.wait(self.resync_seconds)
            raise ApiException(status=GONE, reason="the kind is looked for once more")
        return Listing(items=[], metadata=Version("0"))

    def _wait_a_moment(self) -> None:
        """A server that closes each watch at once is not asked faster than this."""
        early = self._connected + FIRST_PAUSE - time.monotonic()
        if early > 0:
            self._stopped.wait(early)
        self._connected = time.monotonic()

    def _seen(self, raw: dict[str, Any]) -> None:
        self._source.failures = 0
        news = self._sightings.seen(raw)
        if news is not News.NONE and (self.subject.announced or self.synced.is_set()):
            self._tell(news, raw)

    def _gone(self, raw: dict[str, Any]) -> None:
        if self._sightings.gone(raw) is not News.NONE:
            self._tell(News.DELETED, raw)

    def _tell(self, news: News, raw: dict[str, Any]) -> None:
        """What could not be acted on is not seen yet: the next event or full list tells it anew.

        The informer would drop the error without a word, and its object would never be news again.
        """
        try:
            self.told(news, raw)
        except Exception:  # noqa: BLE001 - logged, whatever it is
            self._sightings.gone(raw)
            log.exception("what was seen could not be acted on", kind=str(self.subject.kind))

    def _pause(self, error: Exception) -> None:
        """Called on the informer's thread, which is what makes it wait before it tries again."""
        if _status(error) == GONE or self._stopped.is_set():
            return
        self.failed(self.subject.kind, error)
        self._source.failures += 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self._source.failures, 10))
        self._stopped.wait(pause)


def _shut(stream: Any) -> None:  # noqa: ANN401 - a response of urllib3
    """Wake whoever reads from the stream; closing it alone would wait for the reader."""
    if stream is not None:
        with suppress(OSError, ValueError, RuntimeError):
            stream.shutdown()


def _is_lacking(error: Exception) -> bool:
    """Whether the server has no such kind, or none for us."""
    return isinstance(error, NotServedError) or _status(error) in {FORBIDDEN, NOT_FOUND}


def _status(error: Exception) -> int | None:
    return error.status if isinstance(error, ApiException | DynamicApiError) else None


def _listing(raw: Mapping[str, Any]) -> Listing:
    """`items: null` is an empty list; an item of a list does not say what kind it is of."""
    items = [one for one in raw.get("items") or () if isinstance(one, dict)]
    version = str((raw.get("metadata") or {}).get("resourceVersion") or "")
    return Listing(items=items, metadata=Version(version))
