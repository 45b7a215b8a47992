#!/usr/bin/env python3
"""Labels the pod of a mgr with its role, so that the mgr's Services lead to the active one.

Runs beside each mgr in its pod, as that mgr's user, and asks the mons now and then.
"""

import argparse
import json
import os
import signal
import ssl
import sys
import time
import urllib.request
from pathlib import Path

import rados

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
PAUSE_SECONDS = 15
TIMEOUT_SECONDS = "10"


def active(cluster: rados.Rados) -> str:
    """Give the id of the active mgr, nothing while there is none."""
    code, answer, message = cluster.mon_command('{"prefix": "mgr stat", "format": "json"}', b"")
    if code:
        raise OSError(message)
    return str(json.loads(answer).get("active_name") or "")


def label(role: str) -> None:
    """Write the role on this pod."""
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    host = f"[{host}]" if ":" in host else host
    pod = f"namespaces/{os.environ['POD_NAMESPACE']}/pods/{os.environ['POD_NAME']}"
    request = urllib.request.Request(
        f"https://{host}:{port}/api/v1/{pod}",
        data=json.dumps({"metadata": {"labels": {"mgr_role": role}}}).encode(),
        method="PATCH",
        headers={
            "Authorization": f"Bearer {(ACCOUNT / 'token').read_text()}",
            "Content-Type": "application/merge-patch+json",
        },
    )
    context = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # older authorities lack what it asks for
    urllib.request.urlopen(request, timeout=10, context=context).close()  # noqa: S310


def connect(options: argparse.Namespace) -> rados.Rados:
    settings = {
        "fsid": options.fsid,
        "keyring": options.keyring,
        "mon_host": os.environ["ROOK_CEPH_MON_HOST"],
        "rados_mon_op_timeout": TIMEOUT_SECONDS,
        "client_mount_timeout": TIMEOUT_SECONDS,
    }
    cluster = rados.Rados(name=f"mgr.{options.id}", conf=settings)
    cluster.connect()
    return cluster


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--id", "--fsid", "--keyring"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    # A container's first process gets no signal that it did not ask for: the pod would wait.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    cluster, known = None, ""
    while True:
        try:
            cluster = cluster or connect(options)
            role = "active" if active(cluster) == options.id else "standby"
            if role != known:
                label(role)
                known = role
        except (rados.Error, OSError, ValueError) as error:
            print(f"not known: {error}", file=sys.stderr, flush=True)  # noqa: T201
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
