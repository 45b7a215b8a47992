"""What Ceph itself says of an OSD that is down, out, and needed or not."""

import json
import os
from typing import Any

import pytest

from tests.e2e.site import BIN, ROOT, Site, call, checked
from tests.waiting import eventually

pytestmark = pytest.mark.usefixtures("built")


def spare(site: Site) -> list[int] | None:
    """The OSDs that a look finds that Ceph can do without; None while Ceph cannot tell."""
    module = ["-m", "ceph_orchestrator.ceph.ceph_host_info", "--become"]
    environment = {
        **os.environ,
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_CALLBACK_RESULT_FORMAT": "json",
    }
    command = [str(BIN / "ansible"), "-i", str(site.inventory), "ceph-1:ceph-2:ceph-3", *module]
    text = checked(call(command, env=environment, cwd=ROOT))
    found: list[dict[str, Any]] = []
    decoder = json.JSONDecoder()
    for part in text.split(" => ")[1:]:
        cluster = decoder.raw_decode(part)[0]["cluster"]
        found += [cluster] if cluster else []
    (cluster,) = found
    assert cluster["errors"] == []
    told: list[int] | None = cluster["safe_to_destroy"]
    return told


def until(site: Site, expected: list[int], seconds: float = 240.0) -> None:
    """Ceph notices by and by that the data is elsewhere."""
    eventually(lambda: spare(site), seconds, good=lambda found: found == expected, pause=2)


def test_one_that_is_down_and_out_is_spare_once_its_data_is_elsewhere(site: Site) -> None:
    assert spare(site) == []
    site.ssh("ceph-1", "ceph osd pool create spare 8 8 && ceph osd pool set spare size 2")
    host = site.ceph("osd", "find", "0")["crush_location"]["host"]
    site.ssh(host, "systemctl stop ceph-osd@0")
    site.ssh("ceph-1", "ceph osd down 0")
    assert spare(site) == []  # it is in: its data may still be needed
    site.ssh("ceph-1", "ceph osd out 0")
    until(site, [0])
    site.ssh(host, "systemctl start ceph-osd@0")
    site.ssh("ceph-1", "ceph osd in 0")
    until(site, [])
    site.ssh("ceph-1", "ceph osd pool delete spare spare --yes-i-really-really-mean-it")
    site.healthy()
