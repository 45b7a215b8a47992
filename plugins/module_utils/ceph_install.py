"""What of Ceph is installed on a host: release, programs, and which cluster its ceph.conf names."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_conf, child

if TYPE_CHECKING:
    from collections.abc import Mapping

CONF = Path("/etc/ceph/ceph.conf")
ADMIN_KEYRING = Path("/etc/ceph/ceph.client.admin.keyring")
PROGRAMS = ("ceph", "ceph-mon", "ceph-mgr", "ceph-osd", "ceph-volume", "ceph-mds", "radosgw")
MGR_MODULES = Path("/usr/share/ceph/mgr")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NICE = re.compile(rb'^CEPH_GIT_NICE_VER = "(\d[^"]*)"', re.MULTILINE)
_PRINTED = re.compile(r"ceph version (\S+)")
_HEAD = 8192
_SECONDS = 5.0


def programs() -> list[str]:
    return [name for name in PROGRAMS if shutil.which(name, path=_PATH)]


def mgr_modules() -> list[str]:
    """Name the modules that a mgr on this host could load, by their folders."""
    return sorted(path.parent.name for path in MGR_MODULES.glob("*/module.py"))


def version(errors: list[str]) -> str:
    """Give the installed release, "" when there is none or, with an error, none that tells.

    The `ceph` script carries it in its head; starting a daemon's program costs a tenth of a second.
    """
    script = shutil.which("ceph", path=_PATH)
    if script:
        with Path(script).open("rb") as text:
            found = _NICE.search(text.read(_HEAD))
        if found:
            return found.group(1).decode("ascii", "replace")
    try:
        return _asked()
    except (OSError, child.ChildGoneError) as error:
        errors.append(f"version of Ceph: {error}")
        return ""


def _asked() -> str:
    for program in ("ceph-osd", "ceph-mon", "ceph-mgr"):
        path = shutil.which(program, path=_PATH)
        if path:
            found = _PRINTED.search(child.output([path, "--version"], _SECONDS)[1])
            return found.group(1) if found else ""
    return ""


def conf(errors: list[str]) -> dict[str, Any]:
    """Give what ceph.conf says of the cluster; a file that cannot be read is not an absent one."""
    try:
        text = CONF.read_bytes().decode("utf-8", "backslashreplace")
    except FileNotFoundError:
        return _conf({}, present=False)
    except OSError as error:
        errors.append(f"{CONF}: {error.strerror}")
        return {**_conf({}, present=True), "crush_location": None}
    return _conf(ceph_conf.parse(text), present=True)


def _conf(sections: Mapping[str, Mapping[str, str]], *, present: bool) -> dict[str, Any]:
    options = sections.get("global", {})
    return {
        "fsid": options.get("fsid", ""),
        "mon_host": options.get("mon_host", ""),
        "crush_location": sections.get("osd", {}).get("crush_location", ""),
        "present": present,
    }
