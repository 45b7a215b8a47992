"""kubeconfig files, with everything that they need inside."""

import base64
import json
from pathlib import Path

from lab.kubernetes.certificates import Pair

NAME = "lab"


def write(path: Path, server: str, authority: Pair, user: Pair) -> Path:
    """Write a kubeconfig (JSON is YAML) that only its owner may read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o600)
    path.write_text(text(server, authority, user))
    return path


def text(server: str, authority: Pair, user: Pair) -> str:
    """Return a kubeconfig, as JSON, with the certificates in it: it needs no other file."""
    cluster = {"server": server, "certificate-authority-data": _base64(authority.certificate)}
    login = {
        "client-certificate-data": _base64(user.certificate),
        "client-key-data": _base64(user.key),
    }
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": login}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
    }
    return json.dumps(config, indent=2) + "\n"


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
