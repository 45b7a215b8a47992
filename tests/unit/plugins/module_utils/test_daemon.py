import json

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import daemon
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import ManagedFile

from tests.fakes.descriptions import entry

ENTRY = entry("osd", "4", record="r")


def test_names_are_those_of_ceph_s_packages() -> None:
    one = daemon.parse(ENTRY)
    assert (one.unit, one.target, one.name) == ("ceph-osd@4.service", "ceph-osd.target", "osd.4")
    assert one.program == "ceph-osd"
    assert one.record_path == "/var/lib/ceph-orchestrator/osd.4.json"


def test_a_drop_in_of_nothing_special_leaves_the_package_s_commands_alone() -> None:
    assert "Exec" not in daemon.parse(ENTRY).drop_in().content


def test_what_runs_before_each_start_replaces_the_package_s_check() -> None:
    step = {"argv": ["/bin/find", '--name=a b%c$d"e'], "creates": "/x", "staging": ""}
    text = daemon.parse({**ENTRY, "before_start": [step]}).drop_in().content
    assert text.endswith('ExecStartPre=\nExecStartPre="/bin/find" "--name=a b%%c$$d\\"e"\n')


def test_environment_is_quoted_as_a_value() -> None:
    text = daemon.parse({**ENTRY, "environment": {"A": "1 $x"}}).drop_in().content
    assert 'Environment="A=1 $x"\n' in text


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"memory_limit": 4294967296, "cpu_limit": 1500}, "MemoryMax=4294967296\nCPUQuota=150%\n"),
        ({"memory_limit": 0, "cpu_limit": 1}, "CPUQuota=1%\n"),
        ({"memory_limit": 0, "cpu_limit": 0}, ""),
        ({}, ""),
    ],
)
def test_what_a_daemon_may_use_is_limited_without_a_restart(
    resources: dict[str, int], expected: str
) -> None:
    one = daemon.parse({**ENTRY, "resources": resources})
    assert one.drop_in().content.endswith(f"[Service]\n{expected}")
    assert one.process == daemon.parse(ENTRY).process


def test_only_environment_and_what_is_read_at_the_start_need_a_restart() -> None:
    plain, other = daemon.parse(ENTRY), daemon.parse({**ENTRY, "environment": {"A": "1"}})
    read = daemon.parse({**ENTRY, "restart_on": "root=default host=a"})
    assert len({plain.process, other.process, read.process}) == 3
    step = {"argv": ["x"], "creates": "/x", "staging": ""}
    assert plain.process != other.process
    assert plain.process == daemon.parse({**ENTRY, "before_start": [step], "record": "s"}).process


def test_the_record_has_a_hash_of_each_file() -> None:
    shared = ManagedFile("/usr/local/libexec/x", "text")
    one = daemon.parse(ENTRY, [shared])
    record = json.loads(one.record_file().content)
    assert record["record"] == "r"
    assert record["files"] == {
        shared.path: shared.sha256,
        one.drop_in().path: one.drop_in().sha256,
    }


def test_the_order_of_a_mapping_changes_nothing() -> None:
    first = daemon.parse({**ENTRY, "environment": {"A": "1", "B": "2"}})
    second = daemon.parse({**ENTRY, "environment": {"B": "2", "A": "1"}})
    assert (first.process, first.drop_in()) == (second.process, second.drop_in())
