import hashlib
import json
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import records


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    return tmp_path


def write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.json").write_text(text)


def test_no_record_is_empty_and_has_no_drift() -> None:
    record = records.read("mon", "a")
    assert (record.text, record.drifted()) == ("", [])
    assert records.identities() == set()


def test_drift_names_each_file_and_what_became_of_it(folder: Path) -> None:
    same, other, gone = (folder / name for name in ("same", "other", "gone"))
    same.write_text("x")
    other.write_text("y")
    digest = hashlib.sha256(b"x").hexdigest()
    files = {str(path): digest for path in (same, other, gone)}
    write(folder, "mon.a", json.dumps({"record": "5f1d", "files": files}))
    record = records.read("mon", "a")
    assert record.text == "5f1d"
    assert record.drifted() == [f"{gone}: missing", f"{other}: changed"]


@pytest.mark.parametrize("text", ["", "[]", '{"files": []}', "\x00"])
def test_a_damaged_record_is_drift(folder: Path, text: str) -> None:
    write(folder, "osd.3", text)
    record = records.read("osd", "3")
    assert record.text == ""
    assert record.drifted()[0].startswith(f"{folder}/osd.3.json: unreadable")


def test_identities_come_from_the_names(folder: Path) -> None:
    for name in ("mon.a", "osd.12", "mgr.host.example", "cluster.x"):
        write(folder, name, "{}")
    assert records.identities() == {("mon", "a"), ("osd", "12"), ("mgr", "host.example")}
