"""Programs that go on: found again, ended for good, and never taken for another's process."""

import os
import sys
from pathlib import Path

import pytest

from lab.kubernetes.daemons import Daemon
from tests.waiting import eventually

SLEEP = ("sleep", "600")
# As the kernel shows a program of many threads that was killed, for as long as one is left.
HALF_DEAD = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).pthread_exit(None)
"""


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path, "sleeper")
    yield daemon
    daemon.stop()


def test_it_is_found_again_by_its_folder(daemon, tmp_path):
    daemon.start(SLEEP)
    assert daemon.pid() is not None
    assert Daemon(tmp_path, "sleeper").pid() == daemon.pid()


def test_one_that_runs_is_not_started_twice(daemon):
    daemon.start(SLEEP)
    first = daemon.pid()
    daemon.start(SLEEP)
    assert daemon.pid() == first


def test_it_does_not_hold_what_its_starter_was_given(daemon, tmp_path):
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    os.set_inheritable(lock, True)  # noqa: FBT003 - it takes no keyword
    daemon.start(SLEEP)
    folder = Path(f"/proc/{daemon.pid()}/fd")
    # As it starts, it holds its libraries for a moment too.
    eventually(lambda: {path.name for path in folder.iterdir()} == {"0", "1", "2"})
    os.close(lock)


def test_what_is_stopped_is_gone(daemon):
    daemon.start(SLEEP)
    pid = daemon.pid()
    daemon.stop()
    assert daemon.pid() is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_whose_first_thread_alone_is_dead_has_not_ended(daemon):
    daemon.start((sys.executable, "-c", HALF_DEAD))
    pid = daemon.pid()
    stat = Path(f"/proc/{pid}/stat")
    eventually(lambda: stat.read_text().rpartition(")")[2].split()[0] == "Z")
    assert daemon.pid() == pid
    daemon.stop()
    assert daemon.pid() is None


def test_a_process_that_got_the_same_number_later_is_left_alone(daemon, tmp_path):
    tmp_path.joinpath("sleeper.pid").write_text(f"{os.getpid()} 1\n")
    assert daemon.pid() is None
    daemon.stop()  # would end this test otherwise
    assert not tmp_path.joinpath("sleeper.pid").exists()


def test_its_last_words_are_part_of_the_complaint(daemon):
    daemon.start(("sh", "-c", "echo no such flag >&2"))
    eventually(lambda: daemon.pid() is None)
    assert "no such flag" in str(daemon.complaint("ended"))


def test_one_that_is_bound_still_has_its_own_process(daemon):
    daemon.start(SLEEP, bound=True)
    assert daemon.pid() is not None
