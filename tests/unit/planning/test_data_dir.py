"""The folder of a cluster's data is said once."""

from dataclasses import replace

import pytest

from orchestrator import planning
from tests.fakes import facts


def room(*folders):
    found = facts.healthy()
    first = found.hosts["store-a"]
    return facts.changed(found, replace(first, data_dirs=folders))


def codes(found, path, *, deleting=False):
    spec = facts.spec(mgr={"count": 2}, dataDirHostPath=path)
    return [one.code for one in planning.plan(spec, found, deleting=deleting).blocked]


@pytest.mark.parametrize(
    ("folders", "path"),
    [((), "/x"), (("/var/lib/rook",), "/var/lib/rook"), (("/var/lib/rook",), "/var/lib/rook/")],
)
def test_the_folder_that_mons_have_stays(folders, path):
    assert codes(room(*folders), path) == []


def test_another_one_is_refused_with_both_and_nothing_is_done():
    spec = facts.spec(mgr={"count": 1}, dataDirHostPath="/other")
    plan = planning.plan(spec, room("/var/lib/rook"))
    (reason,) = plan.blocked
    assert (reason.code, plan.steps) == ("DataDirChanged", ())
    assert reason.message == (
        "spec.dataDirHostPath is /other, and mons keep their data below /var/lib/rook: it cannot "
        "be changed; write /var/lib/rook again"
    )


def test_leaving_it_out_means_rooks_folder():
    spec = facts.spec(mgr={"count": 2}, dataDirHostPath=None)
    assert planning.plan(spec, room("/var/lib/rook")).blocked == ()
    assert planning.plan(spec, room("/other")).blocked[0].code == "DataDirChanged"


def test_a_cluster_that_goes_may_go():
    assert "DataDirChanged" not in codes(room("/var/lib/rook"), "/other", deleting=True)
