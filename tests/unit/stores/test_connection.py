"""What a server offers is asked by one thread at a time: the client is not made for more."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from orchestrator.stores.kubernetes.connection import NODE, SECRET, Connection


class Discoverer:
    """Loses what it knows when two ask at once, as the client's does."""

    def __init__(self):
        self._asked = threading.Lock()

    def get(self, api_version, kind):
        assert self._asked.acquire(blocking=False), "two ask at once"
        time.sleep(0.005)
        self._asked.release()
        return f"{kind} {api_version}"


def test_threads_that_need_a_kind_wait_for_each_other():
    connection = Connection(None)
    connection._dynamic = SimpleNamespace(resources=Discoverer())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(connection.resource, [NODE, SECRET] * 4))
    assert found == ["Node v1", "Secret v1"] * 4
