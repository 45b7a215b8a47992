"""Bad input costs a message and an exit code, and no host is touched for it."""

from pathlib import Path

import pytest

from tests.e2e.site import BIN, ROOT, call

NOBODY = "all: {hosts: {nobody: {ansible_host: 192.0.2.1}}}\n"
CLUSTER = """\
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {{name: demo, namespace: rook-ceph}}
spec:
  dataDirHostPath: /var/lib/rook
{rest}"""


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("  mon: {count: -1}\n", ":6: spec.mon.count: -1"),
        ("  mon: {count: three}\n", ":6: spec.mon.count: "),
        ("  storage:\n    deviceFiltr: ^sd\n", ":7: spec.storage.deviceFiltr: "),
        ("  storage:\n    config: {nodes: [{name: a}]}\n", ":7: spec.storage.config.nodes: "),
        ("  storage:\n    deviceFilter: 'sd[b-'\n", ":7: spec.storage.deviceFilter: "),
        (
            "  mon: {count: 3}\n  mon: {count: 5}\n",
            ":7: has the key 'mon' a second time; the first is on line 6",
        ),
    ],
    ids=["negative", "word", "unknown-field", "nodes-in-config", "pattern", "twice"],
)
def test_a_wrong_manifest_is_refused_before_any_host_is_touched(
    tmp_path: Path, rest: str, expected: str
) -> None:
    manifest = tmp_path / "cluster.yaml"
    manifest.write_text(CLUSTER.format(rest=rest))
    inventory = tmp_path / "inventory.yml"
    inventory.write_text(NOBODY)
    done = call(
        [str(BIN / "orchestrator"), "run", "-f", str(manifest), "-i", str(inventory)],
        env={"XDG_STATE_HOME": str(tmp_path / "state"), "PATH": f"{BIN}:/usr/bin:/bin"},
    )
    assert done.code == 2, done.text
    assert f"{manifest}{expected}" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "state").exists()


def test_a_host_that_does_not_answer_blocks_a_new_cluster(tmp_path: Path) -> None:
    inventory = tmp_path / "inventory.yml"
    closed = "ansible_host: 127.0.0.1, ansible_port: 1"
    inventory.write_text(f"all: {{hosts: {{nobody: {{{closed}}}}}}}\n")
    done = call(
        [
            str(BIN / "orchestrator"),
            "run",
            "-f",
            str(ROOT / "examples" / "cluster.yaml"),
            "-i",
            str(inventory),
        ],
        env={"XDG_STATE_HOME": str(tmp_path / "state"), "PATH": f"{BIN}:/usr/bin:/bin"},
    )
    assert done.code == 3, done.text
    assert "ClusterStateUnknown: nobody: " in done.err
    assert not list((tmp_path / "state").rglob("identity.json"))
