"""The build of Kubernetes: where it is kept, and that it leaves the machine's sources alone."""

from pathlib import Path

import pytest

from lab.kubernetes import binaries
from lab.proc import LabError


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_apt_reads_no_list_of_the_machine(tmp_path):
    options = binaries.apt_options(tmp_path)
    assert "Dir::Etc::SourceParts=/dev/null" in options
    assert f"Dir::Etc::SourceList={tmp_path}/sources.list" in options


def test_a_changed_recipe_is_another_folder(monkeypatch):
    before = binaries.folder()
    monkeypatch.setattr(binaries, "VERSION", "1.20.3")
    assert binaries.folder() != before


def test_what_is_missing_is_named_with_its_remedy():
    with pytest.raises(LabError, match="kubelet is not built; `make kubernetes`"):
        binaries.path("kubelet")


def test_what_is_built_is_not_built_again(monkeypatch):
    binaries.folder().mkdir(parents=True)
    monkeypatch.setattr(binaries, "_build", lambda wanted: pytest.fail(f"built {wanted}"))
    assert binaries.ensure() == binaries.folder()


def test_a_build_that_lacks_a_program_is_not_kept(monkeypatch, tmp_path):
    def half(_command, *, env, timeout):
        return ""

    monkeypatch.setattr(binaries, "_download", lambda scratch: scratch / "source")
    monkeypatch.setattr(binaries.proc, "run", half)
    with pytest.raises(LabError, match="made no kube-apiserver"):
        binaries.ensure()
    assert not binaries.built()
    assert [path.name for path in binaries.folder().parent.iterdir()] == [".lock"]


def test_a_build_takes_the_place_of_former_ones_and_of_what_killed_ones_left(monkeypatch):
    def whole(command, *, env, timeout):
        for name in binaries.NAMES:
            (Path(command[-1]) / name).touch(mode=0o755)

    parent = binaries.folder().parent
    for left in ("0123456789ab", "build-killed"):
        (parent / left / "out").mkdir(parents=True)
    monkeypatch.setattr(binaries, "_download", lambda scratch: scratch / "source")
    monkeypatch.setattr(binaries.proc, "run", whole)
    assert binaries.ensure() == binaries.folder()
    assert {path.name for path in binaries.folder().iterdir()} == set(binaries.NAMES)
    assert {path.name for path in parent.iterdir()} == {".lock", binaries.folder().name}
