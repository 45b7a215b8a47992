"""Nodes whose disks cannot be reached: they fail alone, and are never taken for empty ones."""

from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from orchestrator.ansible.kubernetes import disks, reports
from orchestrator.ansible.variables import Variables
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Failure
from tests.fakes.runners import cluster_runner

ONE, TWO = HostName("node-1"), HostName("node-2")
CLUSTER = {"metadata": {"name": "c", "namespace": "rook-ceph", "uid": "u-1"}, "spec": {}}
NO_POD = "no pod came up to look into the disks; see the events of the node's Job"


def node(name, *, ready):
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


@dataclass
class Server:
    """Jobs are taken, and those named have a pod at once."""

    ready: dict
    with_pods: tuple
    jobs_: dict = field(default_factory=dict)
    made: int = 0
    going: bool = False
    """Whether the pods so far were asked to end."""

    def nodes(self):
        return [node(name, ready=ready) for name, ready in self.ready.items()]

    def create_job(self, body, _seconds, _canceled):
        name = body["spec"]["template"]["spec"]["nodeSelector"]["kubernetes.io/hostname"]
        self.jobs_[body["metadata"]["name"]] = name
        self.made += 1
        self.going = False
        return {"metadata": {"uid": f"u-{name}"}}

    def jobs(self, _selector):
        return [{"metadata": {"name": name}} for name in self.jobs_]

    def pods(self, _selector):
        return [
            {
                "metadata": {
                    "name": f"pod-{name}",
                    "ownerReferences": [{"uid": f"u-{name}"}],
                    **({"deletionTimestamp": "x"} if self.going else {}),
                },
                "status": {"containerStatuses": [{"state": {"running": {"startedAt": "x"}}}]},
            }
            for name in self.with_pods
            if name in self.jobs_.values()
        ]

    def delete_job(self, name):
        del self.jobs_[name]

    def delete_pod(self, name):
        pass


def reached(server):
    found = disks.Disks(lambda: server, lambda: CLUSTER, lambda: False)
    with found.reached([ONE, TWO]) as pods:
        return dict(pods)


def test_a_node_that_is_lost_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(disks, "PAUSE_SECONDS", 0.0)
    server = Server({"node-1": "True", "node-2": "Unknown"}, ("node-1",))
    assert reached(server) == {"node-1": "pod-node-1"}
    assert server.jobs_ == {}


def test_a_pod_that_does_not_come_is_waited_for_on_a_node_that_is_ready(monkeypatch):
    monkeypatch.setattr(disks, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(disks, "START_SECONDS", 0.05)
    server = Server({"node-1": "True", "node-2": "True"}, ("node-1",))
    waited = []
    monkeypatch.setattr(disks.time, "sleep", waited.append)
    assert reached(server) == {"node-1": "pod-node-1"}
    assert len(waited) > 1


def made(tmp_path, pods, *, canceled=False):
    found = cluster_runner(tmp_path, lambda: CLUSTER, canceled=canceled)

    @contextmanager
    def reaching(_names, _purpose=None):
        yield pods

    found._disks = SimpleNamespace(reached=reaching)
    return found


def step(*names):
    return Variables(playbook="osd.yml", targets=names, hosts={}, extra={})


def test_a_node_without_a_pod_fails_by_its_own_name(tmp_path):
    outcome = made(tmp_path, {ONE: "pod-node-1"}).apply(step(ONE, TWO))
    assert (outcome.ok, outcome.canceled) == (False, False)
    assert outcome.failures == (Failure(host=TWO, task=reports.REACHING, message=NO_POD),)


def test_pods_that_a_canceled_run_did_not_wait_for_are_no_failure_of_their_nodes(tmp_path):
    assert made(tmp_path, {}, canceled=True).apply(step(ONE)).canceled


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(disks, "PAUSE_SECONDS", 0.0)
    return Server({"node-1": "True", "node-2": "True"}, ("node-1", "node-2"))


@pytest.fixture
def found(server):
    return disks.Disks(lambda: server, lambda: CLUSTER, lambda: False)


def looked_into(found, *names):
    with found.looked_into(names) as pods:
        return dict(pods)


def test_the_pods_of_a_look_are_gone_after_it(server, found):
    assert looked_into(found, ONE) == {ONE: "pod-node-1"}
    assert server.jobs_ == {}


def test_while_steps_follow_one_another_they_work_in_the_pods_of_the_look(server, found):
    with found.staying():
        looked_into(found, ONE, TWO)
        begun = dict(server.jobs_)
        with found.reached([ONE]) as pods:
            assert (pods, server.jobs_) == ({ONE: "pod-node-1"}, begun)
            assert server.made == 2
        assert server.jobs_ == {}


def test_no_pod_of_a_look_outlives_the_steps_whatever_ends_them(server, found):
    def cut_off():
        with found.staying():
            looked_into(found, ONE)
            assert server.jobs_
            raise RuntimeError

    with pytest.raises(RuntimeError):
        cut_off()
    assert server.jobs_ == {}


@pytest.mark.parametrize("purpose", [disks.jobs.PREPARE, disks.jobs.CLEANUP])
def test_new_pods_come_where_those_of_the_look_do_not_serve(server, found, purpose):
    with found.staying():
        looked_into(found, ONE)
        if purpose is disks.jobs.PREPARE:
            server.going = True
        with found.reached([ONE], purpose):
            assert server.made == 2
