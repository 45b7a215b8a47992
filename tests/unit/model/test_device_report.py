"""The list of devices in the status: bounded, what people act on first."""

from dataclasses import replace

from orchestrator.model import device_report
from tests.fakes import facts
from tests.fakes.selecting import ALL, decisions

BY_FILTER = {"useAllNodes": True, "deviceFilter": "^sd"}


def test_a_small_list_is_whole_and_in_order():
    found = decisions(
        ALL, facts.disk("sdb"), facts.osd_disk("sdc", 1), facts.disk("sr0", type="rom")
    )

    report = device_report.bounded(found)

    assert [one["path"] for one in report["devices"]] == ["/dev/sdb", "/dev/sdc", "/dev/sr0"]
    assert report["deviceCounts"] == {"osd": 1, "selected": 1, "skipped": 1}
    assert "devicesOmitted" not in report


def test_of_a_long_list_the_telling_ones_stay():
    loops = [facts.disk(f"loop{number}", type="loop") for number in range(40)]
    osds = [facts.osd_disk(f"sd{number}", number) for number in range(20)]
    used = [facts.disk(f"sdx{number}", filesystem="ext4") for number in range(8)]
    blank = [facts.disk(f"sdy{number}") for number in range(8)]

    report = device_report.bounded(decisions(BY_FILTER, *loops, *osds, *used, *blank))

    codes = [one["code"] for one in report["devices"]]
    assert len(codes) == device_report.MOST_OF_A_HOST
    assert (codes.count("Selected"), codes.count("Filesystem")) == (8, 8)
    assert codes.count("ExistingOsd") == 16
    assert report["devicesOmitted"] == 76 - 32
    assert report["deviceCounts"] == {"osd": 20, "selected": 8, "skipped": 48}


def test_many_hosts_are_cut_too():
    one_host = decisions(ALL, *(facts.disk(f"sd{number}") for number in range(10)))
    hosts = [f"store-{number}" for number in range(100)]
    found = [replace(one, host=host) for host in hosts for one in one_host]

    report = device_report.bounded(found)

    assert len(report["devices"]) == device_report.MOST
    assert report["devicesOmitted"] == 1000 - device_report.MOST
