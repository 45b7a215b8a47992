"""A watch over the mons while the cluster changes: what a client saw, answer after answer."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lab.proc import LabError
from tests.kubernetes.site import Site

Seen = list[tuple[int, int]]
"""How many mons the monmap had, and how many of them were in quorum."""


@contextmanager
def watched(site: Site) -> Iterator[Seen]:
    """Ask all the time; who asks gets no answer while the mons have no quorum."""
    seen: Seen = []
    ended = threading.Event()
    thread = threading.Thread(target=_ask, args=(site, seen, ended))
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def _ask(site: Site, seen: Seen, ended: threading.Event) -> None:
    while not ended.wait(0.5):
        try:
            said = site.ceph("quorum_status")
        except LabError:
            continue
        answer = (len(said["monmap"]["mons"]), len(said["quorum_names"]))
        if seen[-1:] != [answer]:
            seen.append(answer)
