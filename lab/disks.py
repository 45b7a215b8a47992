"""A host's disks: sparse files behind loop devices, and what shows them to that host alone."""

import json
from pathlib import Path

from lab import proc, settings
from lab.settings import Lab


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
    known = {backing: name for name, backing in attached(lab)}
    return {
        letter: known.get(str(image(lab, host, letter))) or _attach(image(lab, host, letter))
        for letter in letters(lab, host)
    }


def attached(lab: Lab) -> list[tuple[str, str]]:
    """Return (loop device, file) of every disk of this lab, also of files that were removed."""
    listed = proc.run(["losetup", "--list", "--json", "--output", "NAME,BACK-FILE"])
    devices = json.loads(listed)["loopdevices"] if listed.strip() else []
    return [
        (Path(device["name"]).name, device["back-file"].removesuffix(" (deleted)"))
        for device in devices
        if (device["back-file"] or "").startswith(f"{lab.disks}/")
    ]


def detach_all(lab: Lab) -> None:
    for name, _ in attached(lab):
        proc.run(["losetup", "--detach", f"/dev/{name}"])


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
