"""The Debian mirror of this machine serves its lab as well."""

import os
from functools import cache

from lab import proc
from lab.proc import LabError

FORMAT = "$(ORIGIN)|$(LABEL)|$(REPO_URI)"


def mirror() -> str:
    """Return LAB_MIRROR, or else the mirror that apt uses here."""
    return os.environ.get("LAB_MIRROR") or _of_apt()


@cache
def _of_apt() -> str:
    return parse(proc.run(["apt-get", "indextargets", "--format", FORMAT, "Created-By: Packages"]))


def parse(listed: str) -> str:
    """Take the first archive of Debian itself: not its security updates, nor somebody else's."""
    for line in listed.splitlines():
        origin, label, uri = line.split("|", 2)
        if origin == label == "Debian":
            return uri.rstrip("/")
    raise LabError("apt knows no mirror of Debian here: run `apt-get update`, or set LAB_MIRROR")
