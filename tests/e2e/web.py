"""What the modules of a mgr serve, asked from this machine as a browser would."""

import json
import re
import ssl
import time
import urllib.error
import urllib.request

from tests.e2e.site import Site
from tests.waiting import eventually

PATIENCE_SECONDS = 180.0


def answer(url: str, data: dict[str, str] | None = None) -> str:
    """What a service answers to this machine, once it does."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    headers = {"Accept": "application/vnd.ceph.api.v1.0+json", "Content-Type": "application/json"}
    request = urllib.request.Request(  # noqa: S310 - http and https of the lab
        url, json.dumps(data).encode() if data else None, headers if data else {}
    )
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(request, timeout=20, context=context) as found:  # noqa: S310
                return str(found.read().decode())
        except (OSError, urllib.error.URLError) as error:
            if time.monotonic() > deadline:
                raise AssertionError(f"{url}: {error}") from error
            time.sleep(1)


def served(site: Site, name: str, pattern: str) -> str:
    """The URL of a module, once `ceph mgr services` has it where it must be."""
    return eventually(
        lambda: str(site.ceph("mgr", "services").get(name, "")),
        PATIENCE_SECONDS,
        good=lambda url: re.fullmatch(pattern, url),
        tell=lambda url: f"{name} is at {url or 'no place'}",
        pause=1,
    )
