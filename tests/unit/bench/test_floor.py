"""How the benchmark reaches hosts, and that it compares like with like."""

import json

import pytest

from bench import floor
from lab.proc import LabError
from lab.settings import Lab

STATUS = {
    "quorum_names": ["a", "b", "c"],
    "osdmap": {"num_up_osds": 3},
    "mgrmap": {"num_standbys": 1, "modules": ["iostat", "prometheus"]},
}


@pytest.fixture
def hosts(monkeypatch, tmp_path):
    lab = Lab.at(tmp_path)
    lab.ssh.mkdir()
    for index in (1, 2, 3):
        lab.host_dir(f"ceph-{index}").mkdir(parents=True)
    monkeypatch.setattr(floor.network, "subnet", lambda _lab: None)
    with pytest.raises(LabError, match="is not up"):
        floor.Hosts(lab)
    monkeypatch.setattr(floor.network, "subnet", lambda _lab: "net")
    monkeypatch.setattr(floor.network, "address", lambda _net, host: f"10.0.0.{host[-1]}")
    return floor.Hosts(lab)


def test_one_connection_for_each_host_and_strict_keys(hosts):
    text = hosts.config.read_text()

    assert "Host ceph-2\n  HostName 10.0.0.2\n" in text
    assert f"UserKnownHostsFile {hosts.lab.ssh}/known_hosts" in text
    assert "ControlMaster auto" in text
    assert "StrictHostKeyChecking" not in text


def test_the_same_cluster_is_accepted(hosts, monkeypatch):
    monkeypatch.setattr(hosts, "_on", lambda _host, _script: json.dumps(STATUS))

    hosts.check()


@pytest.mark.parametrize(
    "change",
    [
        {"quorum_names": ["a", "b"]},
        {"osdmap": {"num_up_osds": 2}},
        {"mgrmap": {"num_standbys": 0, "modules": ["prometheus"]}},
        {"mgrmap": {"num_standbys": 1, "modules": []}},
    ],
)
def test_another_cluster_voids_the_measure(hosts, monkeypatch, change):
    monkeypatch.setattr(hosts, "_on", lambda _host, _script: json.dumps({**STATUS, **change}))

    with pytest.raises(LabError, match="not the cluster to measure"):
        hosts.check()
