"""Disks that hold something, written as the tools that own them would write their first blocks."""

import errno
import os
import struct
import subprocess
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

GIB = 1024**3
SECTOR = 512
CHUNK = 1 << 20
OTHER_FSID = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"

Writer = Callable[[Path], None]


def at(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def same(one: Path, other: Path) -> bool:
    """Whether two files have the same bytes. What is a hole in both is zeros in both, unread."""
    with one.open("rb") as first, other.open("rb") as second:
        size = os.fstat(first.fileno()).st_size
        if size != os.fstat(second.fileno()).st_size:
            return False
        return all(
            os.pread(first.fileno(), CHUNK, at) == os.pread(second.fileno(), CHUNK, at)
            for at in sorted({*written(first.fileno(), size), *written(second.fileno(), size)})
        )


def written(descriptor: int, size: int) -> Iterator[int]:
    """Where the chunks begin that are not all hole."""
    position = 0
    while position < size:
        try:
            position = os.lseek(descriptor, position, os.SEEK_DATA) // CHUNK * CHUNK
        except OSError as error:
            if error.errno == errno.ENXIO:  # no data up to the end
                return
            raise
        yield position
        position += CHUNK


def filesystem(path: Path) -> None:
    """An ext2 superblock."""
    block = bytearray(1024)
    struct.pack_into("<IIIIIIIIIII", block, 0, 128, 512, 0, 400, 117, 1, 0, 0, 8192, 8192, 128)
    struct.pack_into("<HHH", block, 0x38, 0xEF53, 1, 1)
    struct.pack_into("<I", block, 0x4C, 1)
    block[0x68:0x78] = uuid.UUID(OTHER_FSID).bytes
    at(path, 1024, bytes(block))


def partition_table(path: Path) -> None:
    """A DOS table with one Linux partition."""
    entry = struct.pack("<BBBBBBBBII", 0, 0, 2, 0, 0x83, 0, 2, 0, 2048, 1024 * 1024)
    at(path, 446, entry)
    at(path, 510, b"\x55\xaa")


def lvm(path: Path) -> None:
    """The label of an LVM physical volume, with the checksum that LVM asks for."""
    tail = bytearray(SECTOR - 20)
    struct.pack_into("<I8s32s", tail, 0, 32, b"LVM2 001", b"A" * 32)
    struct.pack_into("<Q", tail, 44, 10 * GIB)
    crc = zlib.crc32(bytes(tail), 0xF597A6CF ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
    at(path, SECTOR, b"LABELONE" + struct.pack("<QI", 1, crc) + bytes(tail))


def raid(path: Path) -> None:
    """A Linux RAID superblock of version 1.2."""
    block = bytearray(256)
    struct.pack_into("<III", block, 0, 0xA92B4EFC, 1, 0)
    block[16:32] = uuid.UUID(OTHER_FSID).bytes
    block[32:38] = b"array0"
    struct.pack_into("<Q", block, 0x90, 8)
    words = struct.unpack("<64I", bytes(block))
    total = sum(words)
    struct.pack_into("<I", block, 0xD8, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    at(path, 4096, bytes(block))


def raid_at_its_end(path: Path) -> None:
    """The superblock of version 1.0: the only mark, behind whatever the RAID holds."""
    position = (path.stat().st_size - 8192) // 4096 * 4096
    raid(path)
    with path.open("r+b") as file:
        block = bytearray(os.pread(file.fileno(), 256, 4096))
    at(path, 4096, bytes(256))
    struct.pack_into("<Q", block, 0x90, position // SECTOR)
    block[0xD8:0xDC] = bytes(4)
    total = sum(struct.unpack("<64I", bytes(block)))
    struct.pack_into("<I", block, 0xD8, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    at(path, position, bytes(block))


def old_raid(path: Path) -> None:
    """A superblock of version 0.90, at the last 64 KiB but one."""
    position = path.stat().st_size // 65536 * 65536 - 65536
    at(path, position, struct.pack("<IIII", 0xA92B4EFC, 0, 90, 0))


def firmware_raid(path: Path) -> None:
    """What Intel's firmware writes into the last sector but one."""
    at(path, path.stat().st_size - 2 * SECTOR, b"Intel Raid ISM Cfg Sig. 1.3.00\0\0")


def table_at_its_end(path: Path) -> None:
    """The copy of a GPT with one partition, after somebody overwrote the first one."""
    last = path.stat().st_size // SECTOR - 1
    entries = bytearray(128 * 128)
    entries[0:16] = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le
    entries[16:32] = uuid.UUID(OTHER_FSID).bytes_le
    struct.pack_into("<QQ", entries, 32, 2048, 204800)
    header = bytearray(SECTOR)
    struct.pack_into("<8sIIII", header, 0, b"EFI PART", 0x10000, 92, 0, 0)
    struct.pack_into("<QQQQ", header, 24, last, 1, 34, last - 33)
    header[56:72] = uuid.UUID(OTHER_FSID).bytes_le
    struct.pack_into("<QIII", header, 72, last - 32, 128, 128, zlib.crc32(bytes(entries)))
    struct.pack_into("<I", header, 16, zlib.crc32(bytes(header[:92])))
    at(path, (last - 32) * SECTOR, bytes(entries))
    at(path, last * SECTOR, bytes(header))


def zfs_at_its_end(path: Path) -> None:
    """The uberblocks of a pool's last two labels, from which ZFS still imports it."""
    for label in (512, 256):
        start = path.stat().st_size - label * 1024 + 128 * 1024
        for index in range(128):
            at(path, start + index * 1024, struct.pack("<QQ", 0x00BAB10C, 5000))


def zfs(path: Path) -> None:
    """The uberblocks of a ZFS pool's first label, too few for blkid to be sure of them."""
    for index in range(32):
        at(path, 128 * 1024 + index * 1024, struct.pack("<QQ", 0x00BAB10C, 5000))


def luks(path: Path) -> None:
    """A LUKS header."""
    header = bytearray(592)
    header[0:8] = b"LUKS\xba\xbe\x00\x01"
    header[8:11] = b"aes"
    header[168:204] = OTHER_FSID.encode()
    at(path, 0, bytes(header))


def foreign_osd(path: Path) -> None:
    """The label of another cluster's osd.0."""
    osd = uuid.UUID("99999999-0000-4000-8000-000000000009")
    meta = {"ceph_fsid": OTHER_FSID, "whoami": "0", "osd_key": "", "ready": "ready"}
    pairs = b"".join(text(key) + text(value) for key, value in meta.items())
    body = osd.bytes + struct.pack("<QII", 6 * GIB, 0, 0) + text("main")
    body += struct.pack("<I", len(meta)) + pairs
    head = f"bluestore block device\n{osd}\n".encode()
    whole = head + struct.pack("<BBI", 2, 1, len(body)) + body
    at(path, 0, whole + struct.pack("<I", crc32c(whole)))


def crc32c(data: bytes) -> int:
    """Ceph's checksum of a label: CRC-32C without the final inversion."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc


def damaged_osd(path: Path) -> None:
    """The same label with a checksum that does not fit: it holds an OSD all the same."""
    foreign_osd(path)
    at(path, 80, b"\xff")


def nameless(path: Path) -> None:
    """What an application wrote to a raw disk, behind the place where signatures stand."""
    at(path, 1 << 20, b"pages of a database")


def mounted(path: Path) -> None:
    """A whole filesystem, for one that is in use."""
    subprocess.run(["mkfs.ext4", "-q", "-F", path], check=True)


def unreadable(path: Path) -> None:
    """Nothing where the device expects data: every read of it fails."""
    with path.open("r+b") as file:
        file.truncate(0)


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode()


AT_THE_END: dict[str, Writer] = {
    "linux_raid_member 1.0": raid_at_its_end,
    "linux_raid_member 0.90": old_raid,
    "isw_raid_member": firmware_raid,
    "gpt": table_at_its_end,
    "zfs_member": zfs_at_its_end,
}
"""By the name that libblkid has for them, all with nothing at the beginning."""

HELD: dict[str, Writer] = {
    "filesystem": filesystem,
    "partition table": partition_table,
    "lvm": lvm,
    "raid": raid,
    "raid at its end": raid_at_its_end,
    "zfs": zfs,
    "luks": luks,
    "foreign osd": foreign_osd,
    "damaged osd": damaged_osd,
    "nameless": nameless,
    "mounted": mounted,
    "unreadable": unreadable,
}
