import json
from types import SimpleNamespace

import pytest
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError

from orchestrator.ansible.kubernetes import api

JOB = {"metadata": {"name": "prepare"}}


class Server:
    """Says that a Job of that name is there, so many times."""

    def __init__(self, conflicts: int, status: int = 409) -> None:
        self.conflicts, self.status, self.asked = conflicts, status, 0

    def request(self, method, path, **_given):
        assert (method, path) == ("post", "/apis/batch/v1/namespaces/rook-ceph/jobs")
        self.asked += 1
        if self.asked <= self.conflicts:
            raise ConflictError(ApiException(status=self.status, reason="AlreadyExists"))
        return SimpleNamespace(data=json.dumps({"metadata": {"uid": "u1"}}))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(api, "PAUSE_SECONDS", 0.0)


def test_a_job_waits_for_one_of_its_name_to_go():
    server = Server(conflicts=2)

    assert api.Api(server, "rook-ceph").create_job(JOB, 5.0) == {"metadata": {"uid": "u1"}}
    assert server.asked == 3


def test_a_job_that_is_not_wanted_any_more_waits_for_none():
    server = Server(conflicts=9)

    with pytest.raises(api.ApiError, match="409 AlreadyExists"):
        api.Api(server, "rook-ceph").create_job(JOB, 900.0, lambda: server.asked == 2)

    assert server.asked == 2


@pytest.mark.parametrize(("status", "seconds", "asked"), [(409, -1.0, 1), (403, 5.0, 1)])
def test_one_that_stays_and_any_other_refusal_are_told(status, seconds, asked):
    server = Server(conflicts=9, status=status)

    with pytest.raises(api.ApiError, match=f"{status} AlreadyExists"):
        api.Api(server, "rook-ceph").create_job(JOB, seconds)

    assert server.asked == asked
