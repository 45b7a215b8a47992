"""What is noted of a run comes back as it was, and says what `run` has said."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from orchestrator.model.facts import Cluster, DaemonType, Facts, Mgr, MonMember, Osd
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import OsdStep, Plan, Reason
from orchestrator.reconcile import Result
from orchestrator.report.record import Ending, PlaybookRun, document, parse, seen_hosts, with_end
from tests.fakes import facts as fakes
from tests.fakes import reports

BLOCKED = Reason(code="NoHosts", message="check -i")
STEP = OsdStep(
    changes=(reports.change("osd on /dev/sdb"),),
    hosts=(),
    fsid=fakes.OURS,
    mons=fakes.MONS,
    admin_host="store-a",
)


def test_a_record_survives_its_file() -> None:
    record = reports.full(["store-1", "store-2"])
    assert parse(document(record)) == record


@pytest.mark.parametrize("broken", [{}, {"namespace": 1}, {"runs": "many"}])
def test_a_record_of_another_form_is_none(broken: dict[str, object]) -> None:
    assert parse(broken) is None


def test_a_field_of_a_later_version_is_passed_over() -> None:
    record = reports.record()
    assert parse({**document(record), "later": 1}) == record


@pytest.mark.parametrize(
    ("plan", "outcome", "ending"),
    [
        (Plan(), None, Ending.CONVERGED),
        (Plan(), Outcome(ok=True, run="1", playbook="mon.yml"), Ending.CONVERGED),
        (Plan(blocked=(BLOCKED,)), None, Ending.BLOCKED),
        (Plan(), Outcome(ok=False, run="1", playbook="mon.yml"), Ending.FAILED),
        (Plan(), Outcome(ok=False, run="1", playbook="mon.yml", canceled=True), Ending.INTERRUPTED),
    ],
)
def test_the_ending_is_the_one_of_the_exit_code(
    plan: Plan, outcome: Outcome | None, ending: Ending
) -> None:
    result = Result(plan=plan, outcome=outcome)
    assert with_end(reports.record(), result, "now").ending is ending


def test_the_end_notes_what_is_left_and_a_run_that_told_nothing() -> None:
    failure = Failure(host="localhost", task="", message="ERROR! no module named x")
    outcome = Outcome(ok=False, run="9-osd", playbook="osd.yml", failures=(failure,))
    found = with_end(reports.record(), Result(plan=Plan(steps=(STEP,)), outcome=outcome), "now")
    assert found.runs == (PlaybookRun(run="9-osd", playbook="osd.yml"),)
    assert (found.left, found.failures, found.ended) == (STEP.changes, (failure,), "now")


def test_a_failed_run_leaves_the_hosts_of_an_earlier_look() -> None:
    before = reports.full(["store-1"])
    outcome = Outcome(ok=False, run="1", playbook="osd.yml")
    assert with_end(before, Result(plan=Plan(), outcome=outcome), "now").hosts == before.hosts


def test_hosts_say_what_systemd_and_ceph_say_of_their_daemons() -> None:
    daemons = (
        fakes.daemon(DaemonType.MON, "a"),
        fakes.daemon(DaemonType.MON, "z", active="failed"),
        fakes.daemon(DaemonType.MGR, "a"),
        fakes.daemon(DaemonType.MGR, "b"),
        fakes.daemon(DaemonType.OSD, "3"),
        fakes.daemon(DaemonType.OSD, "4", active="inactive"),
        fakes.daemon(DaemonType.OSD, "99"),
    )
    cluster = Cluster(
        fsid=fakes.OURS,
        quorum_names=("a",),
        mons=(MonMember(name="a", rank=0),),
        mgr=Mgr(available=True, active="a", standbys=("b",)),
        osds=(Osd(id=3, uuid="", up=True, in_=True), Osd(id=4, uuid="", up=False)),
    )
    hosts = {"store-a": fakes.host("store-a", daemons=daemons), "store-b": fakes.silent("store-b")}
    facts = Facts(hosts=MappingProxyType(hosts), cluster=cluster)

    seen, silent = seen_hosts(facts)

    assert [(one.name, one.running, one.state) for one in seen.daemons] == [
        ("mon.a", True, "running, in quorum"),
        ("mon.z", False, "failed, not in quorum"),
        ("mgr.a", True, "running, active"),
        ("mgr.b", True, "running, standby"),
        ("osd.3", True, "running, up and in"),
        ("osd.4", False, "inactive, down and out"),
        ("osd.99", True, "running"),
    ]
    assert seen.address == "192.0.2.1"
    assert silent.error == "connection timed out"
    (unheard, _) = seen_hosts(replace(facts, cluster=None))
    assert unheard.daemons[0].state == "running"
