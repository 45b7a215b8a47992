"""When the demo is over, and what it says until then."""

import pytest

from lab.kubernetes import demo


def cluster(generation=2, **status):
    return {"metadata": {"generation": generation}, "status": status}


DONE = {"observedGeneration": 2, "phase": "Ready", "ceph": {"health": "HEALTH_OK"}}


def test_it_is_over_when_the_newest_generation_is_ready_and_healthy():
    assert demo.healthy(cluster(**DONE))


@pytest.mark.parametrize(
    "change",
    [
        {"observedGeneration": 1},
        {"phase": "Progressing"},
        {"ceph": {"health": "HEALTH_WARN"}},
        {"ceph": None},
    ],
)
def test_it_is_not_over_before(change):
    assert not demo.healthy(cluster(**{**DONE, **change}))
    assert not demo.healthy({"metadata": {"generation": 1}})


def test_progress_names_phase_message_health_and_checks():
    found = cluster(
        phase="Progressing",
        message="Configuring Ceph OSDs",
        ceph={"health": "HEALTH_WARN", "details": {"OSD_DOWN": {}, "MON_DOWN": {}}},
    )
    assert demo.progress(found) == (
        "Progressing · Configuring Ceph OSDs · HEALTH_WARN · MON_DOWN, OSD_DOWN"
    )


def test_a_kubeconfig_of_the_environment_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    assert demo.given() == tmp_path / "config"
    monkeypatch.setenv("KUBECONFIG", "")
    assert demo.given() is None
