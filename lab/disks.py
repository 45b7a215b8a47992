"""A host's disks: sparse files behind loop devices, and what shows them to that host alone."""

import dataclasses
import json
from pathlib import Path

from lab import proc, settings
from lab.settings import Lab

DELETED = " (deleted)"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop device (`loop3`) and its file; `deleted` when the file is gone from its folder."""

    name: str
    file: str
    deleted: bool


def image(lab: Lab, host: str, letter: str) -> Path:
    return lab.disks / f"{host}-{letter}.img"


def letters(lab: Lab, host: str) -> str:
    """Return the letters of the disks the host has."""
    found = (path.stem.rpartition("-")[2] for path in lab.disks.glob(f"{host}-?.img"))
    return "".join(sorted(found))


def ensure(lab: Lab, host: str, count: int, size: str) -> None:
    """Make the files that are missing; those that are there keep their content."""
    lab.disks.mkdir(parents=True, exist_ok=True)
    for letter in settings.disk_letters(count):
        if not image(lab, host, letter).exists():
            proc.run(["truncate", "--size", size, str(image(lab, host, letter))])


def attach(lab: Lab, host: str) -> dict[str, str]:
    """Return the loop device (`loop3`) of each of the host's disks, by letter."""
    known = {loop.file: loop.name for loop in attached(lab) if not loop.deleted}
    return {
        letter: known.get(str(image(lab, host, letter))) or _attach(image(lab, host, letter))
        for letter in letters(lab, host)
    }


def add(lab: Lab, host: str, size: str) -> str:
    """Make one disk more; return its letter."""
    taken = letters(lab, host)
    letter = next(letter for letter in settings.disk_letters(26) if letter not in taken)
    proc.run(["truncate", "--size", size, str(image(lab, host, letter))])
    return letter


def attached(lab: Lab) -> list[Loop]:
    """Return every loop device of this lab."""
    listed = proc.run(["losetup", "--list", "--json", "--output", "NAME,BACK-FILE"])
    return [loop for loop in parse(listed) if loop.file.startswith(f"{lab.disks}/")]


def parse(listed: str) -> list[Loop]:
    """Read what `losetup --json` lists; it prints nothing at all where there is no loop device."""
    devices = json.loads(listed)["loopdevices"] if listed.strip() else []
    return [
        Loop(
            name=Path(device["name"]).name,
            file=(device["back-file"] or "").removesuffix(DELETED),
            deleted=(device["back-file"] or "").endswith(DELETED),
        )
        for device in devices
    ]


def detach_all(lab: Lab) -> None:
    """Let go of every loop device of the lab; their files stay."""
    for loop in attached(lab):
        proc.run(["losetup", "--detach", f"/dev/{loop.name}"])


def show(folder: Path, disks: dict[str, str]) -> None:
    """Write the folders that stand in for /sys/block and /sys/class/block, and the udev rules."""
    _links(folder / "block", disks, "../devices/virtual/block")
    _links(folder / "class-block", disks, "../../devices/virtual/block")
    (folder / "disks.rules").write_text(rules(disks))


def rules(disks: dict[str, str]) -> str:
    """Return udev rules that give each disk a name that lasts."""
    return "".join(
        f'SUBSYSTEM=="block", KERNEL=="{name}", SYMLINK+="disk/by-id/lab-disk-{letter}"\n'
        for letter, name in disks.items()
    )


def _attach(path: Path) -> str:
    return Path(proc.run(["losetup", "--find", "--show", str(path)]).strip()).name


def _links(folder: Path, disks: dict[str, str], target: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for link in folder.iterdir():
        if link.name not in disks.values():
            link.unlink()
    for name in disks.values():
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"{target}/{name}")
