"""The command line: which lab is meant, and what is asked of it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from lab import __main__ as main
from lab.settings import Lab, Options


@pytest.fixture
def invoke(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(main.cli, words, catch_exceptions=False)


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        (("down",), ".lab"),
        (("down", "--dir", ".lab-x"), ".lab-x"),
        (("--dir", ".lab-x", "down"), ".lab-x"),
    ],
)
def test_the_folder_may_be_named_on_either_side(invoke, monkeypatch, words, folder):
    seen = []
    monkeypatch.setattr(main.labs, "down", seen.append)

    invoke(*words)

    assert seen == [Lab.at(Path(folder))]


def test_up_keeps_the_options_of_the_lab_unless_others_are_asked_for(invoke, monkeypatch):
    asked = []
    monkeypatch.setattr(main.labs, "up", lambda *words, **_more: asked.append(words) or [])
    Lab.at(".lab").remember(Options(ceph=16, disks=3))

    invoke("up", "--disk-size", "8G")
    invoke("up", "--ceph", "18", "--hosts", "5")

    assert [(count, options) for _, count, options in asked] == [
        (None, Options(ceph=16, disks=3, disk_size="8G")),
        (5, Options(ceph=18, disks=3)),
    ]


def test_words_after_the_host_belong_to_the_remote_command(invoke, monkeypatch):
    ran = []
    Lab.at(".lab").host_dir("ceph-1").mkdir(parents=True)
    monkeypatch.setattr(main.labs, "subnet", lambda _lab: None)
    monkeypatch.setattr(main.network, "address", lambda *_words: "10.0.0.1")
    monkeypatch.setattr(main.os, "execvp", lambda _program, words: ran.append(words))

    invoke("ssh", "ceph-1", "ls", "--all", "-l")

    assert ran[0][-4:] == ["root@10.0.0.1", "ls", "--all", "-l"]


def test_hosts_are_printed_one_a_line(invoke):
    for host in ("ceph-1", "ceph-2"):
        Lab.at(".lab").host_dir(host).mkdir(parents=True)

    assert invoke("hosts").output == "ceph-1\nceph-2\n"
