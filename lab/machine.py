"""What the machine under the lab has to allow before many hosts can boot on it."""

from collections.abc import Mapping
from pathlib import Path

from lab.proc import LabError

INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")
AIO = Path("/proc/sys/fs/aio-max-nr")

# Each host's systemd, udevd, journald and dbus take some instances, all of them as the same root,
# and Linux gives 128 to a user. OSDs reserve thousands of asynchronous requests each, and Linux has
# 65,536 for all; the number here is that of Ceph's own packages (`90-ceph-osd.conf` of sysctl.d).
# The settings last until the machine boots and cost nothing.
ENOUGH: Mapping[Path, int] = {INOTIFY: 4096, AIO: 1_048_576}


def allow_hosts(settings: Mapping[Path, int] = ENOUGH) -> None:
    """Raise the kernel's limits that several hosts on one machine need; none is ever lowered."""
    for setting, enough in settings.items():
        if int(setting.read_text()) < enough:
            _raise(setting, enough)


def _raise(setting: Path, enough: int) -> None:
    try:
        setting.write_text(f"{enough}\n")
    except OSError as error:
        raise LabError(f"{setting} is too low for hosts and cannot be raised: {error}") from None
