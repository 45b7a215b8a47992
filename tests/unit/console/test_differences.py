"""Differences for people are unified, step by step."""

from orchestrator.console.differences import documents, rehearsal_text
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Difference, Failure, Outcome
from orchestrator.model.plan import ConfigStep, MgrStep
from tests.fakes import facts

BASE = {"changes": (), "fsid": facts.OURS, "mons": (), "admin_host": HostName("store-a")}
CONFIG = ConfigStep(settings=(), **BASE)
MGR = MgrStep(targets=(), modules=(), **BASE)
CHANGED = Difference(
    host=HostName("store-a"),
    task="Keep the settings",
    subject="settings",
    before="osd debug_ms = 1\n",
    after="osd debug_ms = 2\n",
)


def outcome(*differences, failures=()):
    return Outcome(
        ok=not failures, run="7", playbook="x.yml", differences=differences, failures=failures
    )


def test_each_step_has_its_differences():
    failure = Failure(host=HostName("store-b"), task="Ask", message="no cluster yet")

    text = rehearsal_text([(CONFIG, outcome(CHANGED)), (MGR, outcome(failures=(failure,)))])

    assert text.splitlines() == [
        "",
        "run 1: config",
        "--- store-a: settings",
        "+++ store-a: settings",
        "@@ -1 +1 @@",
        "-osd debug_ms = 1",
        "+osd debug_ms = 2",
        "",
        "run 2: mgr",
        'not told in full, as earlier runs are not done: store-b: task "Ask": no cluster yet',
    ]


def test_a_step_that_writes_nothing_says_so():
    assert rehearsal_text([(MGR, outcome())]).endswith("no file and no option differs")


def test_programs_get_the_same():
    (found,) = documents([(CONFIG, outcome(CHANGED))])

    assert found["playbook"] == "config"
    assert found["differences"][0]["after"] == "osd debug_ms = 2\n"
