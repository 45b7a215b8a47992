"""The oldest release that OSDs may have."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd_release


@pytest.mark.parametrize(
    ("current", "changed", "after"),
    [("squid", True, "tentacle"), ("tentacle", False, "tentacle"), ("umbrella", False, "umbrella")],
)
def test_it_rises_and_never_falls(run, ceph, current, changed, after) -> None:
    ceph.answers["osd dump"] = {"require_osd_release": current}
    result = run(ceph_osd_release, release="tentacle")
    assert (result["changed"], result["release"]) == (changed, after)
    assert result["diff"] == {"before": current, "after": after}
    sent = [("osd require-osd-release", {"release": "tentacle"})] if changed else []
    assert ceph.changes() == sent


def test_check_mode(run, ceph) -> None:
    ceph.answers["osd dump"] = {"require_osd_release": "squid"}
    assert run(ceph_osd_release, check=True, release="tentacle")["changed"] is True
    assert ceph.changes() == []
