"""Nodes as hosts, and the Jobs in which their disks are reached."""

from orchestrator.ansible.kubernetes import inventory, jobs, nodes, versions
from orchestrator.ansible.variables import Variables
from orchestrator.model.facts import Taint
from orchestrator.model.names import HostName
from orchestrator.model.operator_settings import OperatorSettings

CLUSTER = {
    "metadata": {"name": "c", "namespace": "rook-ceph", "uid": "u-1"},
    "spec": {"cephVersion": {"image": "ceph:20"}, "dataDirHostPath": "/var/lib/rook"},
}


def raw(name, *, ready="True", **labels):
    return {
        "metadata": {
            "name": f"node-of-{name}",
            "uid": f"u-{name}",
            "labels": {"kubernetes.io/hostname": name, **labels},
        },
        "spec": {"taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]},
        "status": {
            "addresses": [
                {"type": "ExternalIP", "address": "203.0.113.7"},
                {"type": "InternalIP", "address": "10.0.0.7"},
            ],
            "conditions": [{"type": "Ready", "status": ready, "message": "kubelet is dead"}],
            "capacity": {"memory": "8Gi"},
            "nodeInfo": {"bootID": "b1"},
        },
    }


def test_a_node_is_known_by_its_host_name():
    (node,) = nodes.read([raw("node-1", **{"topology.kubernetes.io/zone": "z1"})])
    assert node.member.name == "node-1"
    assert node.member.address == "10.0.0.7"
    assert node.member.labels["topology.kubernetes.io/zone"] == "z1"
    assert node.member.taints == (
        Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule"),
    )
    assert node.memory_bytes == 8 * 1024**3


def test_a_node_that_is_not_ready_is_unknown_and_not_empty():
    found = nodes.read([raw("node-1"), raw("node-2", ready="False")])
    (failure,) = nodes.failures(found)
    assert failure.host == "node-2"
    assert failure.unreachable
    assert failure.message == "the node is not ready: kubelet is dead"


def test_a_node_is_looked_at_again_when_what_a_look_depends_on_changed():
    (node,) = nodes.read([raw("node-1")])
    before = nodes.signature(node, {"useAllDevices": True})
    assert nodes.signature(node, {"useAllDevices": True}) == before
    assert nodes.signature(node, {"useAllDevices": False}) != before
    booted = raw("node-1")
    booted["status"]["nodeInfo"]["bootID"] = "b2"
    (again,) = nodes.read([booted])
    assert nodes.signature(again, {"useAllDevices": True}) != before


def test_a_job_is_named_as_rook_names_it_and_ends_by_itself():
    job = jobs.job(CLUSTER, "node-1")
    assert job["metadata"]["name"] == "rook-ceph-osd-prepare-node-1"
    assert job["metadata"]["labels"]["app"] == "rook-ceph-osd-prepare"
    assert job["spec"]["activeDeadlineSeconds"] == 1800
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["name"] == "provision"
    assert container["securityContext"]["privileged"] is True
    long = jobs.job(CLUSTER, "n" * 60)["metadata"]["name"]
    assert long.startswith("rook-ceph-osd-prepare-")
    cleanup = jobs.job(CLUSTER, "node-1", jobs.CLEANUP)
    assert cleanup["metadata"]["name"] == "cluster-cleanup-job-node-1"
    assert cleanup["metadata"]["labels"]["rook-ceph-cleanup"] == "true"


def test_only_hosts_with_a_pod_are_reached_there():
    name, other = HostName("node-1"), HostName("node-2")
    variables = Variables(
        playbook="osd.yml",
        targets=(name, other),
        hosts={name: {"osd_record": "r"}, other: {}},
        extra={"ceph_admin_host": "node-1", "lock_hosts": ["node-1"]},
    )
    found = inventory.hosts(variables, CLUSTER, {name: "pod-1"})
    hosts = found["all"]["hosts"]
    assert hosts["node-1"]["ansible_connection"] == "kubernetes.core.kubectl"
    assert hosts["node-1"]["ansible_kubectl_pod"] == "pod-1"
    assert hosts["node-1"]["osd_record"] == "r"
    assert hosts["node-2"]["ansible_connection"] == "local"
    assert hosts["the-operator"]["ansible_connection"] == "local"
    assert found["all"]["children"] == {"ceph_targets": {"hosts": {"node-1": {}, "node-2": {}}}}
    extra = inventory.told(variables, ["node-1"])
    assert extra["ceph_admin_host"] == "the-operator"
    assert extra["lock_hosts"] == []
    assert extra["facts_hosts"] == ["node-1"]


def test_each_job_has_rooks_key_of_its_own_in_the_manifest():
    kinds = ("all", "mon", "osd", "prepareosd", "cleanup")
    spec = {
        "placement": {kind: {"tolerations": [{"key": kind}]} for kind in kinds},
        "labels": {"all": {"a": "1"}, "prepareosd": {"b": "2"}, "cleanup": {"c": "3"}},
        "annotations": {"cleanup": {"d": "4"}},
        "priorityClassNames": {"all": "low", "prepareosd": "high"},
        "resources": {"cleanup": {"limits": {"cpu": "1"}}},
    }
    cluster = {**CLUSTER, "spec": spec}
    prepare, cleanup = (
        jobs.job(cluster, "node-1", purpose)["spec"]["template"]
        for purpose in (jobs.PREPARE, jobs.CLEANUP)
    )
    tolerated = [
        [one["key"] for one in template["spec"]["tolerations"]] for template in (prepare, cleanup)
    ]
    assert tolerated == [["all", "osd", "prepareosd"], ["all", "mon", "osd", "cleanup"]]
    assert prepare["metadata"]["labels"].items() >= {"a": "1", "b": "2"}.items()
    assert cleanup["metadata"]["labels"].items() >= {"a": "1", "c": "3"}.items()
    assert (prepare["metadata"].get("annotations"), cleanup["metadata"]["annotations"]) == (
        None,
        {"d": "4"},
    )
    assert prepare["spec"]["priorityClassName"] == "high"
    assert cleanup["spec"]["priorityClassName"] == "low"
    limits = [one["spec"]["containers"][0]["resources"] for one in (prepare, cleanup)]
    assert limits == [{}, {"limits": {"cpu": "1"}}]


def test_nodes_may_be_known_by_another_label():
    settings = OperatorSettings(hostname_label="example.com/machine")
    named, plain = nodes.read([raw("a", **{"example.com/machine": "m-1"}), raw("b")], settings)
    assert (named.member.name, plain.member.name) == ("m-1", "node-of-b")
    pod = jobs.job({**CLUSTER, "operator": settings.told}, "m-1")["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"example.com/machine": "m-1"}
    usual = jobs.job(CLUSTER, "node-1")["spec"]["template"]["spec"]
    assert usual["nodeSelector"] == {"kubernetes.io/hostname": "node-1"}


def test_the_hosts_network_that_is_enforced_is_that_of_all_jobs():
    settings = OperatorSettings(on_host_network=True)
    cluster = {**settings.applied(CLUSTER), "operator": settings.told}
    for made in (jobs.job(cluster, "node-1"), versions.job(cluster)):
        assert made["spec"]["template"]["spec"]["hostNetwork"] is True


def test_the_pod_that_prepares_has_rooks_variables_for_osds():
    wanted = {"configMapRef": {"name": "rook-ceph-osd-env-override", "optional": True}}
    prepare, cleanup = (
        jobs.job(CLUSTER, "node-1", purpose)["spec"]["template"]["spec"]["containers"][0]
        for purpose in (jobs.PREPARE, jobs.CLEANUP)
    )
    assert prepare["envFrom"] == [wanted]
    assert "envFrom" not in cleanup
