"""Podman with the lab's settings."""

from lab import podman


def test_limits_never_exceed_what_this_process_has(monkeypatch):
    monkeypatch.setattr(podman.resource, "getrlimit", lambda _kind: (100, 1000))

    assert podman.limits() == ["--ulimit=nofile=1000:1000", "--ulimit=nproc=1000:1000"]


def test_unlimited_becomes_a_number(monkeypatch):
    monkeypatch.setattr(podman.resource, "getrlimit", lambda _kind: (-1, -1))

    assert podman.limits() == ["--ulimit=nofile=16384:16384", "--ulimit=nproc=16384:16384"]
