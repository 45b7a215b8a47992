"""What a mon on this host knows of its cluster, whether it runs or not.

A running mon tells over its admin socket. From a stopped one the map is extracted by Ceph's own
tool, as Ceph's own user, so that no file in the store changes hands.
"""

from __future__ import annotations

import errno
import grp
import pwd
import re
import shutil
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import admin_socket, child
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

RUN = Path("/run/ceph")
_ASK_SECONDS = 2.0
_EXTRACT_SECONDS = 5.0
_USER = "ceph"
_TIME = "%Y-%m-%dT%H:%M:%S.%f%z"
_BARE_ADDRESS = re.compile(r"^(?:v\d:|any:)?\[?([^\[\]]+?)\]?:\d+(?:/\d+)?$")
_PRINTED_MON = re.compile(r"^(\d+): (\S+) mon\.(.+)$", re.MULTILINE)
_PRINTED_FSID = re.compile(r"^fsid (\S+)$", re.MULTILINE)
_PRINTED_EPOCH = re.compile(r"^epoch (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Member:
    name: str
    rank: int
    addrs: tuple[str, ...]

    @property
    def address(self) -> str:
        """Give the bare IP."""
        return bare(self.addrs[0]) if self.addrs else ""


@dataclass(frozen=True)
class MonView:
    """One mon's view; the epoch is 0 as long as it was never in a quorum, -1 when unknown."""

    fsid: str = ""
    epoch: int = -1
    members: tuple[Member, ...] = ()
    state: str = ""
    quorum: tuple[int, ...] = ()
    modified: str = ""

    @property
    def leads(self) -> bool:
        return self.state == "leader" and bool(self.quorum)

    @property
    def follows(self) -> bool:
        return self.state == "peon" and bool(self.quorum)

    def age(self, now: datetime) -> float:
        """Give the seconds since the map changed last, -1 when that is not known."""
        try:
            changed = datetime.strptime(self.modified, _TIME)  # noqa: DTZ007 - _TIME has a zone
        except ValueError:
            return -1.0
        return max(0.0, (now - changed).total_seconds())

    @property
    def quorum_names(self) -> list[str]:
        return [member.name for member in self.members if member.rank in self.quorum]


def bare(address: str) -> str:
    """Strip protocol, port and nonce: v2:[fd00::1]:3300/0 is fd00::1."""
    found = _BARE_ADDRESS.match(address)
    return found.group(1) if found else address


def socket_of(mon_id: str) -> Path:
    return RUN / f"ceph-mon.{mon_id}.asok"


def running(mon_id: str) -> MonView:
    """Ask a running mon; CephError when nothing answers."""
    status = admin_socket.ask(str(socket_of(mon_id)), {"prefix": "mon_status"}, _ASK_SECONDS)
    try:
        return parse_status(status)
    except (AttributeError, TypeError, ValueError) as error:
        shown = f"{status!s:.200}"
        raise CephError(errno.EPROTO, f"mon.{mon_id}: odd mon_status: {shown}") from error


def parse_status(status: dict[str, Any]) -> MonView:
    monmap = status.get("monmap") or {}
    return MonView(
        fsid=str(monmap.get("fsid", "")),
        epoch=int(monmap.get("epoch", -1)),
        members=tuple(_member(mon) for mon in monmap.get("mons") or ()),
        state=str(status.get("state", "")),
        quorum=tuple(status.get("quorum") or ()),
        modified=str(monmap.get("modified", "")),
    )


def _member(mon: dict[str, Any]) -> Member:
    vector = (mon.get("public_addrs") or {}).get("addrvec") or ()
    addrs = tuple(f"{one.get('type')}:{one.get('addr')}/{one.get('nonce', 0)}" for one in vector)
    legacy = mon.get("public_addr") or mon.get("addr") or ""
    return Member(
        name=str(mon.get("name", "")),
        rank=int(mon.get("rank", -1)),
        addrs=addrs or ((str(legacy),) if legacy else ()),
    )


def stopped(mon_id: str) -> MonView:
    """Read the map in the store of a mon that does not run; CephError when that fails."""
    try:
        user, group = pwd.getpwnam(_USER), grp.getgrnam(_USER)
    except KeyError as error:
        raise CephError(errno.ENOENT, f"mon.{mon_id}: no user {_USER} on this host") from error
    folder = Path(tempfile.mkdtemp(prefix="ceph-monmap-"))
    try:
        shutil.chown(folder, user.pw_uid, group.gr_gid)
        _extract(mon_id, folder / "monmap")
        return parse_printed(_tool(["monmaptool", "--print", str(folder / "monmap")], mon_id))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _extract(mon_id: str, target: Path) -> None:
    who = ["--id", mon_id, "--setuser", _USER, "--setgroup", _USER]
    quiet = ["--log-to-file=false", "--log-to-stderr=false", "--mon-cluster-log-to-file=false"]
    _tool(["ceph-mon", *who, *quiet, "--extract-monmap", str(target)], mon_id)


def _tool(command: list[str], mon_id: str) -> str:
    try:
        code, out, errors = child.output(command, _EXTRACT_SECONDS)
    except (OSError, child.ChildGoneError) as error:
        raise CephError(errno.EIO, f"mon.{mon_id}: {command[0]}: {error}") from error
    if code:
        reason = (errors or out).strip()[-500:]
        raise CephError(errno.EIO, f"mon.{mon_id}: {command[0]} failed ({code}): {reason}")
    return out


def parse_printed(text: str) -> MonView:
    """Read what `monmaptool --print` writes."""
    fsid, epoch = _PRINTED_FSID.search(text), _PRINTED_EPOCH.search(text)
    return MonView(
        fsid=fsid.group(1) if fsid else "",
        epoch=int(epoch.group(1)) if epoch else -1,
        members=tuple(
            Member(name=name, rank=int(rank), addrs=tuple(addrs.strip("[]").split(",")))
            for rank, addrs, name in _PRINTED_MON.findall(text)
        ),
    )
