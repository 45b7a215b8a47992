"""What `up` refuses, and how it says so."""

import pytest

from lab import labs
from lab.proc import LabError
from lab.settings import Lab, Options


def test_three_hosts_unless_asked():
    assert labs.wanted_hosts([], None) == ["ceph-1", "ceph-2", "ceph-3"]
    assert labs.wanted_hosts([], 1) == ["ceph-1"]


def test_a_lab_keeps_its_number_of_hosts():
    assert labs.wanted_hosts(["ceph-1", "ceph-2"], None) == ["ceph-1", "ceph-2"]


def test_a_lab_may_grow_but_not_shrink():
    assert labs.wanted_hosts(["ceph-1"], 2) == ["ceph-1", "ceph-2"]
    with pytest.raises(LabError, match="has 2 hosts, 1 asked for: `lab down` first"):
        labs.wanted_hosts(["ceph-1", "ceph-2"], 1)


def test_a_refusal_names_each_changed_option_and_the_remedy():
    text = labs.refusal(Lab.at("/x"), Options(), Options(ceph=16, disk_size="9G"))

    assert "--ceph is 20, 16 asked for, --disk-size is 6G, 9G asked for" in text
    assert "--disks" not in text
    assert "--rebuild" in text


def test_other_options_are_refused_before_anything_is_touched(tmp_path, monkeypatch):
    lab = Lab.at(tmp_path)
    lab.remember(Options())
    monkeypatch.setattr(labs.os, "geteuid", lambda: 0)
    monkeypatch.setattr(labs, "down", lambda _lab: pytest.fail("removed"))

    with pytest.raises(LabError, match="--ceph is 20, 18 asked for"):
        labs.up(lab, None, Options(ceph=18))


def test_only_root_may(tmp_path, monkeypatch):
    monkeypatch.setattr(labs.os, "geteuid", lambda: 1000)

    with pytest.raises(LabError, match="need root"):
        labs.up(Lab.at(tmp_path), None, Options())


def test_an_unknown_host_is_named_with_those_that_exist(tmp_path):
    (tmp_path / "hosts" / "ceph-1").mkdir(parents=True)

    with pytest.raises(LabError, match=r"no host ceph-7 in .*: there is ceph-1"):
        labs.known(Lab.at(tmp_path), "ceph-7")


def test_a_folder_too_deep_for_the_sockets_of_ssh_is_refused(monkeypatch):
    monkeypatch.setattr(labs.os, "geteuid", lambda: 0)
    monkeypatch.setattr(labs, "down", lambda _lab: None)
    deep = Lab.at("/" + "d" * 72)
    assert len(f"{deep.control_sockets}/0123456789.0123456789abcdef") == 108
    with pytest.raises(LabError, match="too long for the sockets of ssh"):
        labs.up(deep, 1, Options())
