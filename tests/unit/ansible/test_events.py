"""ansible-runner's events folded into one outcome (CASES C53)."""

import dataclasses
import sys

import pytest

from orchestrator.ansible.events import LONGEST_MESSAGE, Fold, message_of

REPORT = {"host": {"hostname": "store-a", "devices": []}, "cluster": None, "changed": False}
CENSORED = {"censored": "the output has been hidden due to the fact that 'no_log: true' was set"}
FACTS = "ceph_orchestrator.ceph.ceph_host_info"


def event(kind, host="store-a", task="Make the mon", res=None, **data):
    return {"event": kind, "event_data": {"host": host, "task": task, "res": res or {}, **data}}


def facts(res=REPORT, host="store-a"):
    return event("runner_on_ok", host, "Look at the host", res, task_action=FACTS)


def stats(**data):
    return {"event": "playbook_on_stats", "event_data": data}


def folded(*events, rc=0, canceled=False, output=""):
    fold = Fold(run="1", playbook="mon.yml")
    for one in events:
        fold.feed(one)
    return fold.outcome(rc=rc, canceled=canceled, seconds=1.5, output=output)


def test_reports_and_changes_are_kept():
    found = folded(event("runner_on_ok", res={"changed": True}), facts(), stats())

    assert found.ok
    assert found.changed == 1
    assert found.reports == {"store-a": {"host": REPORT["host"], "cluster": None}}
    assert (found.run, found.playbook, found.seconds) == ("1", "mon.yml", 1.5)


def test_an_action_plugin_of_that_name_is_known_without_its_collection():
    (short,) = [facts()]
    short["event_data"]["task_action"] = "ceph_host_info"

    assert list(folded(short).reports) == ["store-a"]


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (True, [("store-b", "keys and secrets", "2 more changes, whose content is secret\n")]),
        (False, []),
    ],
)
def test_of_changes_with_keys_only_their_number_is_told(check, expected):
    fold = Fold(run="1", playbook="mgr.yml", check=check)
    shown = event("runner_on_ok", "store-b", res={"changed": True})
    for one in (shown, event("runner_on_ok", "store-b", res=CENSORED), event("runner_on_ok")):
        fold.feed(one)
    fold.feed(stats(changed={"store-b": 3}))

    assert [(one.host, one.subject, one.after) for one in fold.differences] == expected


def test_a_failure_has_cephs_own_words():
    found = folded(
        event("runner_on_failed", res={"msg": "mon.a: no quorum in 60 s", "rc": 1}),
        stats(failures={"store-a": 1}),
        rc=2,
    )

    assert not found.ok
    assert [str(failure) for failure in found.failures] == [
        'store-a: task "Make the mon": mon.a: no quorum in 60 s'
    ]


def test_the_rescues_message_takes_the_place_of_a_censored_failure():
    found = folded(
        event("runner_on_failed", task="Make the key", res=CENSORED),
        event("runner_on_failed", task="Say why", res={"msg": "EACCES: access denied"}),
        stats(failures={"store-a": 1}),
        rc=2,
    )

    assert [(one.task, one.message) for one in found.failures] == [
        ("Say why", "EACCES: access denied")
    ]


def test_a_later_censored_failure_does_not_hide_what_is_known():
    found = folded(
        event("runner_on_failed", res={"msg": "real"}),
        event("runner_on_failed", res=CENSORED),
        stats(failures={"store-a": 1}),
        rc=2,
    )

    assert found.failures[0].message == "real"


def test_a_failure_that_was_rescued_is_none():
    found = folded(event("runner_on_failed", res={"msg": "once"}), facts(), stats(failures={}))

    assert found.ok
    assert found.failures == ()


def test_ignored_failures_are_none():
    found = folded(
        event("runner_on_failed", res={"msg": "never mind"}, ignore_errors=True), facts(), stats()
    )

    assert found.ok


def test_a_host_that_is_not_reached_is_told_apart():
    found = folded(
        event("runner_on_unreachable", "store-b", "", {"msg": "ssh: timed out"}),
        facts(),
        stats(dark={"store-b": 1}),
        rc=4,
    )

    assert not found.ok
    assert [(one.host, one.message) for one in found.unreachable] == [("store-b", "ssh: timed out")]
    assert list(found.reports) == ["store-a"]


@pytest.mark.parametrize(
    "res",
    [
        {},
        {"changed": False, "stdout": '[{"path":"/dev/sda"'},
        {"host": '{"devices": [{"path":"/dev/sd', "changed": False},
        {"host": None},
    ],
    ids=["lost", "cut stdout", "cut JSON", "null"],
)
def test_c53_a_lost_result_is_no_answer_and_no_empty_host(res):
    found = folded(facts(res), stats())

    assert not found.ok
    assert found.reports == {}
    assert [one.message for one in found.failures] == [
        "no answer from store-a: the result of its facts was lost on the way"
    ]


def test_c53_a_lost_result_takes_an_older_one_with_it():
    found = folded(facts(), facts({}), stats())

    assert not found.ok
    assert found.reports == {}


def test_c53_an_empty_list_of_devices_is_an_answer():
    assert folded(facts(), stats()).reports["store-a"]["host"]["devices"] == []


def test_c53_ten_thousand_events_leave_nothing_behind():
    fold = Fold(run="1", playbook="osd.yml")
    big = {"changed": True, "stdout": "x" * 10_000}

    for number in range(10_000):
        fold.feed(event("runner_on_ok", f"store-{number % 20}", res=big))
        fold.feed({"event": "verbose", "event_data": {}, "stdout": "y" * 1000})

    kept = [getattr(fold, one.name) for one in dataclasses.fields(fold)]
    assert fold.changed == 10_000
    assert sum(sys.getsizeof(value) for value in kept) < 2000
    assert not [value for value in kept if isinstance(value, dict | list) and len(value) > 0]


def test_a_playbook_that_never_began_says_why_in_ansibles_words():
    output = "\n".join(["", *(f"line {number}" for number in range(20)), "ERROR! no such file"])

    found = folded(rc=4, output=output)

    assert not found.ok
    assert found.failures[0].host == "localhost"
    assert found.failures[0].message.startswith("line 9\n")
    assert found.failures[0].message.endswith("ERROR! no such file")


def test_an_end_without_a_word_is_a_failure_all_the_same():
    found = folded(rc=1)

    assert found.failures[0].message == "ansible-playbook ended without a word"


def test_a_failed_run_always_has_a_failure_to_show():
    rescued = event("runner_on_failed", res={"msg": "once"})

    found = folded(rescued, facts(), stats(), rc=1, output="ERROR! the playbook broke later")

    assert [one.message for one in found.failures] == ["ERROR! the playbook broke later"]


def test_a_canceled_run_is_no_success():
    found = folded(facts(), rc=0, canceled=True)

    assert (found.ok, found.canceled, found.failures) == (False, True, ())


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (
            event("playbook_on_task_start", host="", task="Make the mon"),
            ("task", "Make the mon", "", False, "", 0.0),
        ),
        (
            event("runner_on_ok", res={"changed": True}, duration=2.5),
            ("ok", "Make the mon", "store-a", True, "", 2.5),
        ),
        (
            event("runner_on_failed", res={"msg": "no"}),
            ("failed", "Make the mon", "store-a", False, "no", 0.0),
        ),
        (
            event("runner_on_unreachable", res={"msg": "gone"}),
            ("unreachable", "Make the mon", "store-a", False, "gone", 0.0),
        ),
    ],
)
def test_progress_is_what_a_watcher_needs(one, expected):
    found = Fold(run="1", playbook="mon.yml").feed(one)

    assert (found.run, found.playbook) == ("1", "mon.yml")
    assert (
        found.kind,
        found.task,
        found.host,
        found.changed,
        found.message,
        found.seconds,
    ) == expected


@pytest.mark.parametrize(
    "one",
    [
        {"event": "verbose"},
        {"event": "runner_on_skipped", "event_data": {"host": "store-a"}},
        {"event": "playbook_on_stats", "event_data": {}},
        {},
        event("runner_on_failed", ignore_errors=True),
        event("runner_on_ok", task="Validating arguments against arg spec main - Run mons"),
    ],
)
def test_nothing_else_is_shown(one):
    assert Fold(run="1", playbook="mon.yml").feed(one) is None


def test_a_wrong_argument_is_shown():
    one = event(
        "runner_on_failed", task="Validating arguments against arg spec main", res={"msg": "x"}
    )

    assert Fold(run="1", playbook="mon.yml").feed(one).message == "x"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"msg": " text ", "stderr": "other"}, "text"),
        ({"msg": "", "stderr": "from stderr"}, "from stderr"),
        ({"module_stderr": "Traceback"}, "Traceback"),
        ({"stdout": "from stdout"}, "from stdout"),
        (CENSORED, CENSORED["censored"]),
        ({}, "failed without a message"),
        ({"msg": "x" * 3000}, "x" * LONGEST_MESSAGE),
        (
            {
                "msg": "One or more items failed",
                "results": [
                    {"failed": False, "msg": "fine"},
                    {"failed": True, "msg": "sdb is busy"},
                    {"failed": True, "msg": "sdc is busy"},
                    {"failed": True, "msg": "sdc is busy"},
                ],
            },
            "sdb is busy; sdc is busy",
        ),
        ({"msg": "whole", "results": ["odd", {"failed": False}]}, "whole"),
    ],
)
def test_the_most_telling_text_is_taken(result, expected):
    assert message_of(result) == expected


def test_a_lock_of_another_is_noted_and_is_no_failure_to_show():
    fold = Fold(run="7", playbook="mon.yml")
    holder = {"owner": "root@there", "id": "theirs", "seconds_left": 290.5}
    data = {"host": "store-a", "task_action": "ceph_orchestrator.ceph.ceph_lock"}

    shown = fold.feed(
        {"event": "runner_on_failed", "event_data": {**data, "res": {"holder": holder}}}
    )

    assert shown is None
    outcome = fold.outcome(rc=2, canceled=False, seconds=1.0, output="")
    assert (outcome.ok, outcome.holder.owner) == (False, "root@there")
