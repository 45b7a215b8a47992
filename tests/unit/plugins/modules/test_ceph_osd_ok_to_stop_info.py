import errno
import json

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd_ok_to_stop_info

DUMP = {"osds": [{"osd": number, "up_from": 100 + number} for number in (1, 26, 28)]}


def test_the_answer_and_the_last_boots_are_given(run, ceph) -> None:
    ceph.answers["osd ok-to-stop"] = {"ok_to_stop": True, "osds": [26, 28]}
    ceph.answers["osd dump"] = DUMP
    result = run(ceph_osd_ok_to_stop_info, osds=[26, 28])
    assert (result["changed"], result["ok"], result["reason"]) == (False, True, "")
    assert result["booted"] == {"26": 126, "28": 128}


def test_a_no_is_no_failure_of_the_module(run, ceph) -> None:
    output = json.dumps({"ok_to_stop": False, "osds": [26], "bad_become_inactive": ["11.3"]})
    ceph.answers["osd ok-to-stop"] = CephError(errno.EBUSY, "unsafe", output)
    ceph.answers["osd dump"] = DUMP
    result = run(ceph_osd_ok_to_stop_info, check=True, osds=[26])
    assert (result["ok"], result["reason"]) == (False, "pg 11.3 would become inactive")


def test_a_cluster_that_does_not_answer_fails(run, ceph) -> None:
    ceph.answers["osd ok-to-stop"] = {"ok_to_stop": True, "osds": [26]}
    ceph.answers["osd dump"] = CephError(errno.ETIMEDOUT, "osd dump: no answer")
    assert run(ceph_osd_ok_to_stop_info, osds=[26])["msg"] == "osd dump: no answer"
