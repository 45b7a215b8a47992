"""Ansible's forms of a diff become texts to compare, and secrets become none."""

import pytest

from orchestrator.ansible.differences import differences

FILE = {"before_header": "/etc/x", "after_header": "/etc/x", "before": "a\n", "after": "b\n"}


def told(diff, **result):
    data = {"host": "store-a", "task": "Write it", "res": {"changed": True, "diff": diff, **result}}
    return [(one.subject, one.before, one.after) for one in differences(data)]


@pytest.mark.parametrize(
    ("diff", "expected"),
    [
        (FILE, [("/etc/x", "a\n", "b\n")]),
        ([FILE, {**FILE, "after": "a\n"}], [("/etc/x", "a\n", "b\n")]),
        (
            {"before": {"osd debug_ms": "1"}, "after": {"osd debug_ms": "2"}},
            [("Write it", "osd debug_ms = 1\n", "osd debug_ms = 2\n")],
        ),
        (
            {"before": {}, "after": {"on": {"x": True}, "n": None}},
            [("Write it", "", "on x = true\nn = null\n")],
        ),
        ({"before": "", "after": "root@here"}, [("Write it", "", "root@here\n")]),
        ({"before": {"a": 1}, "after": {"a": 1}}, []),
        ([], []),
        (None, []),
        (["odd"], []),
    ],
)
def test_every_form(diff, expected):
    assert told(diff) == expected
