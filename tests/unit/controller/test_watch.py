"""The watch over a scripted API server: gaps, 410 Gone, null lists, failing lists (CASES C45)."""

import json
import queue
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import MaxRetryError

from orchestrator.controller import watch as watching
from orchestrator.controller.sightings import cluster_view, owned_view
from orchestrator.controller.watch import Subject, Watch
from orchestrator.stores.kubernetes.connection import (
    CEPH_CLUSTER,
    SERVICE_MONITOR,
    NotServedError,
)
from tests.waiting import eventually

SECONDS = 20


def item(name, uid, version, generation=1):
    meta = {"name": name, "namespace": "ns", "uid": uid, "resourceVersion": version}
    return {"metadata": {**meta, "generation": generation}}


def a_list(version, *items, null=False):
    return {"items": None if null else list(items), "metadata": {"resourceVersion": version}}


def event(kind, found):
    return {"type": kind, "object": found}


GONE = event("ERROR", {"code": 410, "reason": "Expired", "message": "too old resource version"})


@dataclass
class Answer:
    """A response of urllib3: a list's body, or a watch's stream that ends when told so."""

    data: bytes = b""
    events: tuple[dict[str, Any], ...] = ()
    open: bool = False
    status: int = 200
    ended: threading.Event = field(default_factory=threading.Event)

    def stream(self, **_arguments):
        for one in self.events:
            yield json.dumps(one).encode() + b"\n"
        if self.open:
            self.ended.wait(SECONDS)

    def shutdown(self):
        self.ended.set()

    def close(self):
        self.ended.set()

    def release_conn(self):
        pass


@dataclass
class Server:
    """Answers what is next in its script, and notes what was asked."""

    script: list[Any]
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    last: Answer | None = None

    def resource(self, kind):
        assert kind in {CEPH_CLUSTER, SERVICE_MONITOR}
        return self

    def get(self, *, resource_version, watch, **_more):
        self.asked.append(("watch" if watch else "list", resource_version))
        if not self.script:
            self.done.set()
            self.last = Answer(open=True)
            return self.last
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, dict):
            assert not watch
            return Answer(data=json.dumps(answer).encode())
        assert watch
        return answer


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(watching, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(watching, "LONGEST_PAUSE", 0.0)


def told_by(script):
    """What a watch tells of a scripted server until the script is over, and what it asked."""
    server = Server(script)
    news: queue.SimpleQueue[tuple[str, str, str]] = queue.SimpleQueue()
    failures: list[Exception] = []
    one = Watch(
        server,
        Subject(kind=CEPH_CLUSTER, view=cluster_view, announced=True),
        lambda what, raw: news.put((str(what), raw["metadata"]["name"], raw["metadata"]["uid"])),
        lambda _kind, error: failures.append(error),
    )
    one.start()
    assert server.done.wait(SECONDS)
    one.stop()
    seen = []
    while not news.empty():
        seen.append(news.get())
    return seen, server.asked, failures


def test_deletes_that_were_missed_are_told_and_a_new_uid_is_a_new_cluster():
    seen, asked, _ = told_by(
        [
            a_list("95", item("c1", "u1", "90"), item("c2", "u2", "50")),
            Answer(events=(GONE,)),
            a_list("300", item("c1", "u9", "210")),
        ]
    )

    assert seen[:2] == [("added", "c1", "u1"), ("added", "c2", "u2")]
    assert sorted(seen[2:4]) == [("deleted", "c1", "u1"), ("deleted", "c2", "u2")]
    assert seen[4:] == [("added", "c1", "u9")]
    assert asked == [("list", None), ("watch", "95"), ("list", None), ("watch", "300")]


def test_a_watch_goes_on_from_the_last_event_and_not_from_the_last_object_listed():
    _, asked, _ = told_by(
        [
            a_list("300", item("c1", "u1", "90"), item("c2", "u2", "50")),
            Answer(events=(event("MODIFIED", item("c1", "u1", "310", generation=2)),)),
        ]
    )

    assert asked == [("list", None), ("watch", "300"), ("watch", "310")]


def test_when_a_list_fails_nothing_is_deemed_deleted(monkeypatch):
    monkeypatch.setattr(threading.Event, "wait", _impatient(threading.Event.wait))
    seen, asked, failures = told_by(
        [
            a_list("95", item("c1", "u1", "90")),
            Answer(events=(GONE,)),
            ApiException(status=500, reason="etcd is away"),
            MaxRetryError(pool=None, url="/", reason=OSError("refused")),
            a_list("300", item("c1", "u1", "90")),
        ]
    )

    assert seen == [("added", "c1", "u1")]
    assert [kind for kind, _ in asked] == ["list", "watch", "list", "list", "list", "watch"]
    assert len(failures) == 2


def _impatient(wait):
    """The informer waits five seconds after a list that failed."""
    return lambda self, timeout=None: wait(self, 0 if timeout == 5 else timeout)


@pytest.mark.parametrize("null", [True, False])
def test_a_list_that_is_null_is_an_empty_one(null):
    seen, asked, failures = told_by(
        [
            a_list("95", item("c1", "u1", "90")),
            Answer(events=(GONE,)),
            a_list("300", null=null),
        ]
    )

    assert seen == [("added", "c1", "u1"), ("deleted", "c1", "u1")]
    assert asked[-1] == ("watch", "300")
    assert failures == []


def test_what_the_watch_tells_is_told_once():
    seen, _, _ = told_by(
        [
            a_list("95"),
            Answer(
                events=(
                    event("ADDED", item("c1", "u1", "96")),
                    event("MODIFIED", item("c1", "u1", "97")),
                    event("BOOKMARK", {"metadata": {"resourceVersion": "98"}}),
                    event("MODIFIED", item("c1", "u1", "99", generation=2)),
                    event("DELETED", item("c1", "u1", "100", generation=2)),
                )
            ),
        ]
    )

    assert seen == [("added", "c1", "u1"), ("changed", "c1", "u1"), ("deleted", "c1", "u1")]


def test_watches_that_fail_again_and_again_end_in_a_new_list():
    """As behind another etcd, whose versions are lower: there is no 410 then."""
    refused = [ApiException(status=504, reason="Too large resource version")] * 3
    seen, asked, failures = told_by(
        [a_list("900", item("c1", "u1", "890")), *refused, a_list("12", item("c1", "u1", "3"))]
    )

    assert seen == [("added", "c1", "u1")]
    assert asked[-2:] == [("list", None), ("watch", "12")]
    assert len(failures) == 3


def test_the_periodic_list_repairs_what_was_missed():
    server = Server(
        [
            a_list("95", item("c1", "u1", "90")),
            Answer(),
            a_list("300"),
        ]
    )
    news = []
    one = Watch(
        server,
        Subject(kind=CEPH_CLUSTER, view=cluster_view, announced=True),
        lambda what, raw: news.append((str(what), raw["metadata"]["uid"])),
        resync_seconds=1,
    )
    server.script[1].events = ()
    server.script[1].open = True
    threading.Timer(1.2, server.script[1].shutdown).start()
    one.start()
    assert server.done.wait(SECONDS)
    one.stop()

    assert news == [("added", "u1"), ("deleted", "u1")]


def test_a_stop_ends_a_watch_that_waits():
    server = Server([a_list("95")])
    one = Watch(
        server, Subject(kind=CEPH_CLUSTER, view=cluster_view, announced=True), lambda *_: None
    )
    one.start()
    assert server.done.wait(SECONDS)
    one.stop()

    assert server.last is not None
    assert server.last.ended.is_set()


def test_it_is_synced_after_the_first_list():
    server = Server([a_list("95")])
    one = Watch(
        server, Subject(kind=CEPH_CLUSTER, view=cluster_view, announced=True), lambda *_: None
    )
    assert not one.synced.is_set()
    one.start()

    assert one.synced.wait(SECONDS)
    one.stop()


def test_what_is_there_at_the_start_is_no_news_unless_asked_for():
    later = (event("ADDED", item("c2", "u2", "96")), event("DELETED", item("c1", "u1", "97")))
    server = Server([a_list("95", item("c1", "u1", "90")), Answer(events=later)])
    news = []
    one = Watch(
        server,
        Subject(kind=CEPH_CLUSTER, view=cluster_view),
        lambda what, raw: news.append((str(what), raw["metadata"]["uid"])),
    )
    one.start()
    assert server.done.wait(SECONDS)
    one.stop()

    assert news == [("added", "u2"), ("deleted", "u1")]


LACKING = [
    NotServedError("the API server serves no ServiceMonitor"),
    ApiException(status=404, reason="Not Found"),
    ApiException(status=403, reason="Forbidden"),
]


def of_monitors(script, *, optional=True, resync_seconds=1):
    """A watch of ServiceMonitors over a scripted server, with what it tells and what failed."""
    server, news, failures = Server(script), [], []
    subject = Subject(kind=SERVICE_MONITOR, view=owned_view, optional=optional)
    one = Watch(
        server,
        subject,
        lambda what, raw: news.append((str(what), raw["metadata"]["name"])),
        lambda _kind, error: failures.append(error),
        resync_seconds=resync_seconds,
    )
    return one, server, news, failures


@pytest.mark.parametrize("error", LACKING)
def test_a_kind_that_only_some_servers_have_is_nothing_where_it_is_lacking_and_is_seen_later(error):
    later = event("DELETED", item("m1", "u1", "97"))
    script = [error, error, a_list("95", item("m1", "u1", "90")), Answer(events=(later,))]
    one, server, news, failures = of_monitors(script)
    one.start()
    assert one.synced.wait(SECONDS)
    assert server.done.wait(SECONDS)
    one.stop()

    assert news == [("added", "m1"), ("deleted", "m1")]
    assert failures == []
    assert [kind for kind, _ in server.asked] == ["list", "watch", "list", "watch", "watch"]


def test_one_that_may_be_listed_and_not_watched_is_listed_again_and_again():
    refused = ApiException(status=403, reason="Forbidden")
    script = [a_list("95", item("m1", "u1", "90")), refused, a_list("99")]
    one, server, news, failures = of_monitors(script)
    one.start()
    assert server.done.wait(SECONDS)
    one.stop()

    assert (news, failures) == ([("deleted", "m1")], [])


def test_a_stop_does_not_wait_until_a_kind_is_looked_for_again():
    one, server, _news, _failures = of_monitors([LACKING[0], LACKING[0]], resync_seconds=SECONDS)
    one.start()
    assert eventually(lambda: len(server.asked) == 2)
    began = time.monotonic()
    one.stop()

    assert time.monotonic() - began < SECONDS / 2


def test_a_kind_that_every_server_has_is_never_taken_for_lacking(monkeypatch):
    monkeypatch.setattr(threading.Event, "wait", _impatient(threading.Event.wait))
    script = [LACKING[2], a_list("95", item("m1", "u1", "90"))]
    one, server, _news, failures = of_monitors(script, optional=False)
    one.start()
    assert server.done.wait(SECONDS)
    one.stop()

    assert failures == [LACKING[2]]


def test_what_could_not_be_acted_on_is_told_anew_with_the_next_event():
    again = event("MODIFIED", item("c1", "u1", "96"))
    server = Server([a_list("95", item("c1", "u1", "90")), Answer(events=(again, again))])
    told = []

    def full(what, raw):
        told.append(str(what))
        if len(told) == 1:
            raise OSError("no space left on device")

    one = Watch(server, Subject(kind=CEPH_CLUSTER, view=cluster_view, announced=True), full)
    one.start()
    assert server.done.wait(SECONDS)
    one.stop()

    assert told == ["added", "added"]
