"""The workstation's state: private, written whole, and honest about what it cannot read."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.model.facts import StoredIdentity
from orchestrator.model.names import ClusterKey
from orchestrator.stores import StoreError, files
from tests.fakes.clusters import cluster
from tests.fakes.facts import OTHER, OURS

KEY = ClusterKey("rook-ceph", "test")
ME_IS_ROOT = os.geteuid() == 0


@pytest.fixture
def home(tmp_path):
    return files.Home(tmp_path / "state" / "orchestrator")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_STATE_HOME": "/srv/state"}, Path("/srv/state/orchestrator")),
        ({"XDG_STATE_HOME": ""}, Path.home() / ".local" / "state" / "orchestrator"),
        ({}, Path.home() / ".local" / "state" / "orchestrator"),
    ],
)
def test_the_home_is_where_xdg_says(environment, expected):
    assert files.state_home(environment) == expected


def test_everything_is_for_its_owner_alone(home):
    before = os.umask(0o022)
    try:
        files.StatusFile(home).put(KEY, {"phase": "Ready"})
        files.IdentityFile(home).begin(KEY, None)
        files.accept(home, cluster())
        with files.FileLock(home).hold(KEY):
            pass
    finally:
        os.umask(before)

    made = [home.root, *home.root.rglob("*")]
    assert {path.name: oct(mode(path)) for path in made} == {
        "orchestrator": "0o700",
        "rook-ceph": "0o700",
        "test": "0o700",
        "status.json": "0o600",
        "identity.json": "0o600",
        "generation.json": "0o600",
        "lock": "0o600",
    }


def test_what_is_put_is_what_is_got(home):
    statuses = files.StatusFile(home)

    assert statuses.get(KEY) == {}
    statuses.put(KEY, {"phase": "Progressing"})
    statuses.put(KEY, {"phase": "Ready"})

    assert statuses.get(KEY) == {"phase": "Ready"}
    assert [path.name for path in home.of(KEY).iterdir()] == ["status.json"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(home, monkeypatch):
    statuses = files.StatusFile(home)
    statuses.put(KEY, {"phase": "Ready"})

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(StoreError, match=r"cannot write .*status.json: No space left on device"):
        statuses.put(KEY, {"phase": "Progressing"})

    assert statuses.get(KEY) == {"phase": "Ready"}
    assert [path.name for path in home.of(KEY).iterdir()] == ["status.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"phase": "Rea', "is not JSON"),
        ("", "is not JSON"),
        ("[1]", "must hold a JSON object"),
    ],
)
def test_a_damaged_file_is_named_with_the_way_out(home, text, message):
    path = home.of(KEY) / "status.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)

    with pytest.raises(StoreError, match=message) as caught:
        files.StatusFile(home).get(KEY)

    assert str(path) in str(caught.value)
    assert "restore or remove it" in str(caught.value)


@pytest.mark.skipif(ME_IS_ROOT, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(home):
    files.StatusFile(home).put(KEY, {})
    (home.of(KEY) / "status.json").chmod(0)

    with pytest.raises(StoreError, match="Permission denied"):
        files.StatusFile(home).get(KEY)


def test_a_home_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match=r"cannot make .*: Not a directory"):
        files.StatusFile(files.Home(tmp_path / "file")).put(KEY, {})


def test_known_clusters_are_those_with_a_status(home):
    other = ClusterKey("a", "b")
    for key in (KEY, other):
        files.StatusFile(home).put(key, {})
    files.IdentityFile(home).begin(ClusterKey("a", "begun"), None)

    assert home.clusters() == (other, KEY)


def test_an_identity_is_begun_once_and_remembered(home):
    identities = files.IdentityFile(home)

    assert identities.remembered(KEY) is None
    fsid = identities.begin(KEY, None)

    assert identities.begin(KEY, None) == fsid
    assert identities.remembered(KEY) == StoredIdentity(fsid=fsid, established=False)
    assert len(fsid) == 36


def test_two_clusters_are_two_identities(home):
    identities = files.IdentityFile(home)

    assert identities.begin(KEY, None) != identities.begin(ClusterKey("a", "b"), None)


def test_an_identity_that_hosts_know_is_taken(home):
    identities = files.IdentityFile(home)

    assert identities.begin(KEY, OURS) == OURS
    assert identities.remembered(KEY) == StoredIdentity(fsid=OURS, established=False)


def test_a_stored_identity_is_not_written_over(home):
    identities = files.IdentityFile(home)
    identities.begin(KEY, OURS)

    assert identities.begin(KEY, OTHER) == OTHER
    assert identities.remembered(KEY) == StoredIdentity(fsid=OURS, established=False)


def test_an_identity_is_established_once(home):
    identities = files.IdentityFile(home)
    fsid = identities.begin(KEY, None)

    identities.establish(KEY, fsid)
    first = (home.of(KEY) / "identity.json").stat().st_ino
    identities.establish(KEY, fsid)

    assert identities.remembered(KEY) == StoredIdentity(fsid=fsid, established=True)
    assert (home.of(KEY) / "identity.json").stat().st_ino == first


def test_an_empty_workstation_learns_a_clusters_identity(home):
    identities = files.IdentityFile(home)

    identities.establish(KEY, OURS)

    assert identities.remembered(KEY) == StoredIdentity(fsid=OURS, established=True)


def test_an_identity_without_its_fields_is_named(home):
    path = home.of(KEY) / "identity.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"established": true}')

    with pytest.raises(StoreError, match=r"identity.json: has no 'fsid'; restore or remove it"):
        files.IdentityFile(home).remembered(KEY)


def test_no_key_is_kept(home):
    files.IdentityFile(home).begin(KEY, None)

    stored = json.loads((home.of(KEY) / "identity.json").read_text())
    assert set(stored) == {"fsid", "established"}


def accepted(home, found):
    files.accept(home, found)
    return files.numbered(home, found).generation


def test_the_generation_grows_with_the_spec_and_with_nothing_else(home):
    three, one = cluster(mon={"count": 3}), cluster(mon={"count": 1})

    assert [accepted(home, each) for each in (three, three, one, one, three)] == [1, 1, 2, 2, 3]


def test_a_generation_that_nobody_accepted_is_not_written(home):
    accepted(home, cluster(mon={"count": 1}))
    before = (home.of(KEY) / "generation.json").read_text()

    assert files.numbered(home, cluster(mon={"count": 3})).generation == 2
    assert (home.of(KEY) / "generation.json").read_text() == before


def test_a_spelled_out_default_is_no_new_generation(home):
    accepted(home, cluster())

    assert accepted(home, cluster(mon={"count": 3}, mgr={"count": 0})) == 1


HOLD = """
import sys
from pathlib import Path
from orchestrator.model.names import ClusterKey
from orchestrator.stores import files
with files.FileLock(files.Home(Path(sys.argv[1]))).hold(ClusterKey("rook-ceph", "test")):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_held_by_another_process_is_named_and_free_when_it_ends(home):
    lock = files.FileLock(home)
    command = [sys.executable, "-c", HOLD, str(home.root)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        expected = f"rook-ceph/test: the orchestrator with pid {other.pid} is working"
        with pytest.raises(StoreError, match=expected), lock.hold(KEY):
            raise AssertionError("held twice")
        other.kill()
        other.wait()

    with lock.hold(KEY):
        assert (home.of(KEY) / "lock").read_text() == f"{os.getpid()}\n"


def test_clusters_do_not_lock_each_other(home):
    lock = files.FileLock(home)

    with lock.hold(KEY), lock.hold(ClusterKey("a", "b")):
        pass


def test_a_lock_that_cannot_be_opened_is_named(home):
    (home.of(KEY) / "lock").mkdir(parents=True)

    with pytest.raises(StoreError, match="cannot open"), files.FileLock(home).hold(KEY):
        pass


def test_the_manifest_is_found_under_its_own_key_alone():
    source = files.OneSpec(cluster())

    assert source.get(KEY) is source.cluster
    assert source.get(ClusterKey("a", "b")) is None


def test_an_owner_is_the_home_and_stays_the_same(home):
    assert files.owner(home, KEY).id == ""

    mine = files.own(home, KEY)

    assert files.owner(home, KEY) == files.own(home, KEY) == mine
    assert mine.name.partition("@")[2] == socket.gethostname()


def test_a_copied_home_is_another_owner(home, tmp_path):
    mine = files.own(home, KEY)
    shutil.copytree(home.root, tmp_path / "copy")

    assert files.owner(files.Home(tmp_path / "copy"), KEY).id not in {"", mine.id}


def test_whether_a_run_is_at_work_is_asked_without_a_trace(home):
    lock = files.FileLock(home)

    assert not lock.held(KEY)
    assert not home.root.exists()
    with lock.hold(KEY):
        before = (home.of(KEY) / "lock").read_text()
        assert lock.held(KEY)
        assert (home.of(KEY) / "lock").read_text() == before
    assert not lock.held(KEY)
