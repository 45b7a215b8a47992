"""The messages of sd_notify(3), on a socket as systemd's own."""

import socket

import pytest

from orchestrator.watching.systemd import Notifier


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_hears_all_of_it(tmp_path, abstract):
    address = f"@{tmp_path}/notify" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address.replace("@", "\0", 1))
        notifier = Notifier.of({"NOTIFY_SOCKET": address})
        notifier.ready()
        notifier.status("blocked:\n  no quorum")
        notifier.alive()
        notifier.stopping()
        heard = [systemd.recv(200) for _ in range(4)]
    assert heard == [b"READY=1", b"STATUS=blocked: no quorum", b"WATCHDOG=1", b"STOPPING=1"]


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": "/nowhere/socket"}])
def test_nobody_who_listens_is_no_error(environment):
    Notifier.of(environment).ready()
