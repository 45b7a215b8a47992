"""What a discovery daemon says of disks is a reason to look where there is one more to take."""

import json

import pytest

from orchestrator.ansible.kubernetes import discovery
from orchestrator.ansible.kubernetes import runner as runner_module
from orchestrator.ansible.kubernetes.disks import Disks
from orchestrator.ansible.kubernetes.grounds import Ground
from orchestrator.model.names import HostName
from tests.fakes.runners import cluster_runner

CLUSTER = {"metadata": {"name": "c", "namespace": "rook-ceph", "uid": "u-1"}, "spec": {}}


def rook(**devices):
    """Rook's text; a device is empty or holds a filesystem."""
    listed = [
        {"name": name, "size": 4096, "type": "disk", "empty": empty, "devLinks": "/dev/x"}
        for name, empty in devices.items()
    ]
    return discovery.of_rook(json.dumps(listed))


@pytest.mark.parametrize(
    ("before", "now", "news"),
    [
        ({"sda": True}, {"sda": True}, False),
        ({"sda": True}, {"sda": True, "sdb": True}, True),
        ({"sda": True}, {"sda": True, "sdb": False}, True),
        ({"sda": True}, {"sda": False}, False),
        ({"sda": False}, {"sda": True}, True),
        ({"sda": True, "sdb": True}, {"sda": True}, False),
        ({"sda": True}, {}, False),
    ],
)
def test_a_disk_that_came_or_was_emptied_is_news(before, now, news):
    assert rook(**now).news(rook(**before)) is news


def test_another_disk_of_the_same_name_is_news():
    small, large = (
        discovery.of_rook(json.dumps([{"name": "sda", "size": size, "empty": False}]))
        for size in (4096, 8192)
    )
    assert large.news(small)


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "null", "7", '["sda"]'])
def test_what_is_not_understood_is_nothing(text):
    assert discovery.of_rook(text) == discovery.Discovered()
    assert discovery.parse("[]") == discovery.Discovered()


def test_what_was_noted_is_read_again():
    found = rook(sda=True, sdb=False)
    assert discovery.parse(found.text()) == found


@pytest.mark.parametrize(
    ("now", "stale"),
    [
        (Ground(signature="s", discovered=rook(sda=True)), False),
        (Ground(signature="s", discovered=rook(sda=False)), False),
        (Ground(signature="s", discovered=rook(sda=True, sdb=True)), True),
        (Ground(signature="t", discovered=rook(sda=True)), True),
    ],
)
def test_a_look_serves_until_what_it_was_made_on_changes(now, stale):
    assert Ground(signature="s", discovered=rook(sda=True)).stale(now) is stale


class Server:
    """Keeps ConfigMaps."""

    def __init__(self):
        self.maps = []

    def put_config_map(self, body):
        self.maps.append(body)

    def config_maps(self, selector):
        app = selector.partition(",")[0].partition("=")[2]
        return [one for one in self.maps if one["metadata"]["labels"]["app"] == app]


def test_a_note_comes_back_with_what_it_was_made_on():
    server = Server()
    disks = Disks(lambda: server, lambda: CLUSTER, lambda: False)
    ground = Ground(signature="s", discovered=rook(sda=True))
    disks.note(HostName("node-1"), ground, {"devices": ["d"], "daemons": ["not of disks"]})
    (found,) = disks.notes().values()
    assert found.ground == ground
    assert found.report == {"devices": ["d"], "osds_lvm": [], "unfinished": []}


@pytest.mark.parametrize(("operators", "asked"), [("rook-ceph", "rook-ceph"), ("", "storage")])
def test_disks_are_told_of_in_the_operators_namespace(monkeypatch, tmp_path, operators, asked):
    """There the daemon runs, wherever a cluster is; without an operator's own, in the cluster's."""
    seen = []

    class Api:
        def __init__(self, _client, namespace):
            self.namespace = namespace

        def config_maps(self, selector):
            seen.append((self.namespace, selector))
            return []

    monkeypatch.setattr(runner_module, "Api", Api)
    cluster = {"metadata": {"name": "c", "namespace": "storage", "uid": "u"}, "spec": {}}
    one = cluster_runner(tmp_path, lambda: cluster, operator_namespace=operators)
    one._disks.discovered()
    one._disks.notes()

    assert seen[0] == (asked, "app=rook-discover")
    assert seen[1][0] == "storage"


def test_rooks_maps_are_known_by_their_label_or_their_name():
    server = Server()
    for name, own in (("local-device-x", {"rook.io/node": "node-1"}), ("local-device-n2", {})):
        data = {"devices": json.dumps([{"name": "sda", "empty": True}])}
        labels = {"app": "rook-discover", **own}
        server.put_config_map({"metadata": {"name": name, "labels": labels}, "data": data})
    disks = Disks(lambda: server, lambda: CLUSTER, lambda: False)
    assert set(disks.discovered()) == {"node-1", "n2"}
