import ipaddress
import os
import struct
import time

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import addresses


def message(scope: int, prefix: int, **attributes: str) -> bytes:
    kinds = {"address": 1, "local": 2, "label": 3}
    body = struct.pack("=BBBBI", 2, prefix, 0, scope, 1)
    for name, value in attributes.items():
        raw = value.encode() if name == "label" else ipaddress.ip_address(value).packed
        body += struct.pack("=HH", 4 + len(raw), kinds[name]) + raw + b"\0" * (-len(raw) % 4)
    return body


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (message(0, 24, address="10.1.2.3", local="10.1.2.3", label="eth0"), ["10.1.2.3/24"]),
        (message(0, 32, label="ppp", address="10.9.9.9", local="10.1.2.3"), ["10.1.2.3/32"]),
        (message(0, 64, address="fd00::5"), ["fd00::5/64"]),
        (message(253, 64, address="fe80::1"), []),
        (message(254, 8, address="127.0.0.1", local="127.0.0.1"), []),
        (message(0, 24), []),
    ],
)
def test_an_address_as_the_kernel_tells_it(raw: bytes, expected: list[str]) -> None:
    assert list(addresses._address(raw)) == expected


def test_the_kernel_of_this_machine_answers() -> None:
    assert all(ipaddress.ip_interface(text) for text in addresses.collect())


def test_a_hanging_resolver_costs_the_full_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses.socket, "getfqdn", lambda: time.sleep(60))
    short = os.uname().nodename
    assert addresses.names(0.1) == (short, short)
