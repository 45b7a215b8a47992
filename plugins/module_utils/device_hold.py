"""Devices that are about to be written by their names, kept as what they were seen to be.

Between a look and the first byte written there is ceph-volume, which takes its time to start, and
with LVM its report. Meanwhile a disk can be pulled out and another one get its name.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import blank, device_head
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def unchanged(seen: Sequence[blank.Look]) -> Iterator[None]:
    """Keep devices open, and look again; HostError when one shows anything else than before.

    As long as it is open the kernel gives the name of a device to no other one. It is not opened
    for itself alone, as whoever is to write it does that.
    """
    with contextlib.ExitStack() as stack:
        descriptors = [_opened(one.device, stack) for one in seen]
        _make_sure(seen)
        for descriptor in descriptors:
            device_head.forget(descriptor)
        yield


def _opened(device: str, stack: contextlib.ExitStack) -> int:
    try:
        descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise HostError(f"{device}: cannot be opened any more: {error.strerror}") from None
    stack.callback(os.close, descriptor)
    return descriptor


def _make_sure(seen: Sequence[blank.Look]) -> None:
    now = blank.looks(one.path for one in seen)
    for before in seen:
        after = now[before.path]
        if after != before:
            held = blank.refusal(after, allow_loop=True) or f"it is {after.device} now"
            raise HostError(f"{before.path} has changed since it was looked at: {held}")
