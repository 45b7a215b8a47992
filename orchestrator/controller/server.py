"""The HTTP server of /metrics, /healthz and /readyz."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import CONTENT_TYPE_LATEST

PLAIN = "text/plain; charset=utf-8"
READ_SECONDS = 10.0

Trouble = Callable[[], str]
"""What is wrong, in words; empty when nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What is served. The probes answer 200 and ok, or 503 and what is wrong."""

    metrics: Callable[[], bytes]
    alive: Trouble
    ready: Trouble

    def page(self, path: str) -> tuple[HTTPStatus, str, bytes]:
        """Status, type and content of what a path names; a query says nothing here."""
        match path.partition("?")[0]:
            case "/metrics":
                return HTTPStatus.OK, CONTENT_TYPE_LATEST, self.metrics()
            case "/healthz":
                return _probe(self.alive())
            case "/readyz":
                return _probe(self.ready())
            case _:
                return HTTPStatus.NOT_FOUND, PLAIN, b"not found\n"


def _probe(trouble: str) -> tuple[HTTPStatus, str, bytes]:
    if trouble:
        return HTTPStatus.SERVICE_UNAVAILABLE, PLAIN, f"{trouble}\n".encode()
    return HTTPStatus.OK, PLAIN, b"ok\n"


@contextmanager
def serving(address: tuple[str, int], pages: Pages) -> Iterator[int]:
    """Serve until the end of the block; gives the port, which the system chooses for 0."""
    server = _server(address[0])(address, _handler(pages))
    thread = threading.Thread(target=server.serve_forever, name="http", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _server(host: str) -> type[ThreadingHTTPServer]:
    """For no host every address, of IPv6 too: a pod may have that alone."""
    both = not host and socket.has_dualstack_ipv6()

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        address_family = socket.AF_INET6 if both or ":" in host else socket.AF_INET

        def server_bind(self) -> None:
            if both:
                self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            super().server_bind()

    return Server


def _handler(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = READ_SECONDS
        server_version = "ceph-orchestrator"
        sys_version = ""

        def do_GET(self) -> None:
            status, kind, body = pages.page(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Probes come every few seconds; they are no news."""

    return Handler
