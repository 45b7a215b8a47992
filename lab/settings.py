"""Which lab is meant: its names, its places and the options it was made with."""

import contextlib
import dataclasses
import hashlib
import json
import shutil
import string
from pathlib import Path

from lab.proc import LabError

LABEL = "ceph-orchestrator.lab"
SUITES = {20: "forky", 18: "trixie", 16: "bookworm"}
FIRST_HOST = 11  # ceph-1 is .11, so that an address tells the host


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a lab's hosts have in common. The number of hosts is not part of it: it may change."""

    ceph: int = 20
    disks: int = 2
    disk_size: str = "6G"
    ipv6: bool = False

    @property
    def suite(self) -> str:
        return SUITES[self.ceph]


@dataclasses.dataclass(frozen=True, slots=True)
class Lab:
    """A lab is its folder: every name derives from the folder's path, so labs never meet."""

    dir: Path

    @classmethod
    def at(cls, folder: str | Path) -> "Lab":
        return cls(Path(folder).absolute())

    @property
    def id(self) -> str:
        return "lab" + hashlib.sha256(str(self.dir).encode()).hexdigest()[:8]

    @property
    def disks(self) -> Path:
        return self.dir / "disks"

    @property
    def ssh(self) -> Path:
        return self.dir / "ssh"

    @property
    def control_sockets(self) -> Path:
        return self.ssh / "cp"

    @property
    def inventory(self) -> Path:
        return self.dir / "inventory.yml"

    def host_dir(self, host: str) -> Path:
        return self.dir / "hosts" / host

    def container(self, host: str) -> str:
        return f"{self.id}-{host}"

    def options(self) -> Options | None:
        """Return the options the lab was made with, None before its first `up`."""
        try:
            return Options(**json.loads((self.dir / "lab.json").read_text()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise LabError(f"{self.dir}/lab.json is damaged ({error}); `lab down` first") from None

    def remember(self, options: Options) -> None:
        """Write down what the lab is made with, for later commands."""
        self.dir.mkdir(parents=True, exist_ok=True)
        (self.dir / "lab.json").write_text(json.dumps(dataclasses.asdict(options)) + "\n")

    def hosts(self) -> list[str]:
        """Return the hosts that were ever made here, running or not."""
        return sorted((path.name for path in (self.dir / "hosts").glob("ceph-*")), key=number)

    def forget(self) -> None:
        """Remove the lab's files; whatever else somebody keeps in the folder is not the lab's."""
        for path in (self.disks, self.ssh, self.dir / "hosts"):
            shutil.rmtree(path, ignore_errors=True)
        for name in ("lab.json", "hosts.txt", self.inventory.name):
            (self.dir / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.dir.rmdir()


def host_name(index: int) -> str:
    return f"ceph-{index}"


def number(host: str) -> int:
    return int(host.rpartition("-")[2])


def disk_letters(count: int) -> str:
    return string.ascii_lowercase[:count]


def mac_address(lab_id: str, host: str) -> str:
    """Return a fixed, locally administered address, unlike any other lab's."""
    digest = hashlib.sha256(f"{lab_id}/{host}".encode()).hexdigest()
    return ":".join(["02", *(digest[at : at + 2] for at in range(0, 10, 2))])
