"""What the machine under the lab has to allow before many hosts can boot on it."""

from pathlib import Path

from lab.proc import LabError

# Each host's systemd, udevd, journald and dbus take some, all of them as the same root; Linux gives
# 128 to a user. The setting lasts until the machine boots and costs nothing.
INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")
ENOUGH = 4096


def allow_hosts(setting: Path = INOTIFY) -> None:
    if int(setting.read_text()) >= ENOUGH:
        return
    try:
        setting.write_text(f"{ENOUGH}\n")
    except OSError as error:
        raise LabError(f"{setting} is too low for hosts and cannot be raised: {error}") from None
