"""Images for pods."""

import io
import tarfile
import tomllib

import pytest

from lab.kubernetes import nodes, pods, scratch
from lab.settings import Lab


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A lab whose podman has each image under an id of its own, and notes what it is asked."""
    lab = Lab(tmp_path)
    for folder in ("images", "state/node-1", "state/node-2"):
        (tmp_path / folder).mkdir(parents=True)
    calls = []

    def run(*words, **_settings):
        calls.append(words)
        return f"id-of-{words[-1]}" if words[:2] == ("image", "inspect") else ""

    monkeypatch.setattr(pods.podman, "run", run)
    return lab, calls


def test_the_pause_image_holds_one_program():
    with tarfile.open(fileobj=io.BytesIO(scratch.root_filesystem({"pause": b"ELF"}))) as archive:
        (member,) = archive.getmembers()
        assert (member.name, member.mode, member.size) == ("pause", 0o755, 3)


def test_containerd_is_told_the_name_of_the_pause_image():
    settings = tomllib.loads((nodes.FILES / "containerd.toml").read_text())
    assert settings["plugins"]["io.containerd.grpc.v1.cri"]["sandbox_image"] == pods.PAUSE


def test_an_image_goes_to_the_nodes_that_lack_it(lab):
    lab, calls = lab
    assert pods.load(lab, ["node-1"], "one") == ["node-1"]
    assert pods.load(lab, ["node-1", "node-2"], "one") == ["node-2"]
    assert [words[1].rpartition("-n")[2] for words in calls if words[0] == "exec"] == [
        "ode-1",
        "ode-2",
    ]


def test_an_image_that_was_built_anew_goes_to_all_of_them(lab, monkeypatch):
    lab, _calls = lab
    pods.load(lab, ["node-1", "node-2"], "one")
    monkeypatch.setattr(pods.podman, "run", lambda *_words, **_settings: "another id")
    assert pods.load(lab, ["node-1", "node-2"], "one") == ["node-1", "node-2"]
