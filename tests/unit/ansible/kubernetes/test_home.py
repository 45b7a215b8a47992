"""The folder of a cluster's keys, which a runner that was killed cannot remove itself."""

import gc
import json

from orchestrator.ansible.private import TMPFS
from tests.fakes.runners import cluster_runner


def notes(tmp_path):
    return sorted((tmp_path / "processes").glob("home-*/parent.json"))


def test_it_goes_with_its_runner(tmp_path):
    runner = cluster_runner(tmp_path)
    (note,) = notes(tmp_path)
    home = json.loads(note.read_text())["private"]
    assert home.startswith(f"{TMPFS}/ceph-orchestrator-")
    assert runner._looker._environment["CEPH_CONF"].startswith(home)
    del runner
    gc.collect()
    assert notes(tmp_path) == []


def test_that_of_a_killed_one_goes_when_the_next_begins(tmp_path):
    killed = cluster_runner(tmp_path)
    (note,) = notes(tmp_path)
    text = json.loads(note.read_text())
    note.write_text(json.dumps({**text, "parent": {"pid": 1, "started": 1}}))
    left = TMPFS / text["private"].rpartition("/")[2]
    assert left.is_dir()
    following = cluster_runner(tmp_path)
    assert not left.exists()
    assert [note] != notes(tmp_path)
    assert len(notes(tmp_path)) == 1
    del killed, following
