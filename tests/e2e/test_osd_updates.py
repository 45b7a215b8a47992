"""The device class and the weight of OSDs that are there change where the manifest says so."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.site import Done, Site, checked

SMALL = 0.001


@pytest.fixture(autouse=True, scope="module")
def settled(site: Site, built: Done) -> None:
    """Whatever was asked for before is taken back."""
    checked(site.orchestrator("run"))


def manifest(site: Site, **storage: Any) -> Path:
    own = yaml.safe_load(site.manifest.read_text())["spec"]["storage"]
    return site.changed_manifest("updates", storage={**own, **storage})


def osds(site: Site) -> list[dict[str, Any]]:
    return [one for one in site.ceph("osd", "tree")["nodes"] if one["type"] == "osd"]


def classes(site: Site) -> set[str]:
    return {one["device_class"] for one in osds(site)}


def weight(site: Site, osd: int) -> float:
    return float(next(one["crush_weight"] for one in osds(site) if one["id"] == osd))


def test_another_device_class_is_given_only_where_the_manifest_allows_it(site: Site) -> None:
    (before,) = classes(site)
    other = {"config": {"deviceClass": "special"}}
    told = site.orchestrator("plan", manifest=manifest(site, **other))
    assert told.code == 0, told.text
    assert "DeviceClassDiffers" in told.text
    checked(site.orchestrator("run", manifest=manifest(site, **other)))
    assert classes(site) == {before}

    allowed = manifest(site, **other, allowDeviceClassUpdate=True)
    checked(site.orchestrator("run", manifest=allowed))
    assert classes(site) == {"special"}
    assert site.orchestrator("plan", manifest=allowed).code == 0

    back = {"config": {"deviceClass": before}, "allowDeviceClassUpdate": True}
    checked(site.orchestrator("run", manifest=manifest(site, **back)))
    assert classes(site) == {before}


def test_a_weight_follows_the_size_only_where_the_manifest_allows_it(site: Site) -> None:
    before = weight(site, 0)
    assert before > SMALL
    site.ssh("ceph-1", f"ceph osd crush reweight osd.0 {SMALL}")
    checked(site.orchestrator("run", manifest=manifest(site)))
    assert weight(site, 0) == pytest.approx(SMALL, rel=0.1)

    allowed = manifest(site, allowOsdCrushWeightUpdate=True)
    checked(site.orchestrator("run", manifest=allowed))
    assert weight(site, 0) == pytest.approx(before, rel=0.05)
    assert site.orchestrator("plan", manifest=allowed).code == 0
