"""Ceph's view beside the passes: what it is asked with, and when silence is an error."""

from dataclasses import dataclass, field

import pytest

from orchestrator.ansible.kubernetes import ClusterRunner
from orchestrator.ansible.kubernetes.looking import LookError
from tests.fakes.runners import cluster_runner

SECRET = {"data": {"fsid": "eA==", "ceph-secret": "eA=="}}
OLDER = {"data": {"fsid": "eA==", "admin-secret": "YWRtaW4tc2VjcmV0"}}
FORMED = {"data": {"maxMonId": "2", "data": "a=10.0.0.1:6789"}}
NOT_YET = {"data": {"maxMonId": "-1"}}
FOREIGN = {"data": {"data": "a=10.9.0.1:3300"}}


@dataclass
class Looker:
    cluster: object = None
    asked: list = field(default_factory=list)

    def look(self, parameters):
        self.asked.append(parameters)
        return {"hosts": {}, "cluster": self.cluster}


@dataclass
class Api:
    stored: dict

    def secret(self, name):
        return self.stored.get(name)

    def config_map(self, name):
        return self.stored.get(name)


def runner(monkeypatch, tmp_path, secret, endpoints, cluster=None):
    found = cluster_runner(tmp_path)
    found._looker = Looker(cluster)
    stored = {"rook-ceph-mon": secret, "rook-ceph-mon-endpoints": endpoints}
    monkeypatch.setattr(ClusterRunner, "_api", Api(stored))
    return found


def test_what_leads_to_ceph_is_handed_over_and_nothing_else(monkeypatch, tmp_path):
    one = runner(monkeypatch, tmp_path, SECRET, FORMED, {"fsid": "x"})

    assert one.health() == {"fsid": "x"}
    assert one._looker.asked == [
        {
            "stored": {
                "Secret/rook-ceph-mon": SECRET,
                "ConfigMap/rook-ceph-mon-endpoints": FORMED,
            },
            "timeout": 15,
        }
    ]


def test_the_user_of_an_older_import_is_handed_over_too(monkeypatch, tmp_path):
    one = runner(monkeypatch, tmp_path, OLDER, FOREIGN, {"fsid": "x"})
    one._api.stored["rook-ceph-operator-creds"] = {"data": {"userKey": "eA=="}}

    assert one.health() == {"fsid": "x"}
    (asked,) = one._looker.asked
    assert asked["stored"]["Secret/rook-ceph-operator-creds"] == {"data": {"userKey": "eA=="}}


@pytest.mark.parametrize(("secret", "endpoints"), [(None, None), (SECRET, None), (None, FORMED)])
def test_without_an_identity_nobody_is_asked(monkeypatch, tmp_path, secret, endpoints):
    one = runner(monkeypatch, tmp_path, secret, endpoints)

    assert one.health() is None
    assert one._looker.asked == []


def test_mons_that_once_had_a_quorum_and_are_silent_are_an_error(monkeypatch, tmp_path):
    with pytest.raises(LookError, match="no mon in quorum answered"):
        runner(monkeypatch, tmp_path, SECRET, FORMED).health()


@pytest.mark.parametrize("endpoints", [NOT_YET, FOREIGN])
def test_before_the_first_quorum_silence_is_none(monkeypatch, tmp_path, endpoints):
    assert runner(monkeypatch, tmp_path, SECRET, endpoints).health() is None
