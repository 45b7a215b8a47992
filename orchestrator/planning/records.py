"""The hash of a daemon's description, by which a later pass knows that it is already applied.

The same idea as Rook's last-applied annotation. Only what a restart or a rewritten unit would be
needed for belongs into a description: the mon list does not (ceph.conf is compared by itself).
"""

import hashlib
import json

FORMAT = 1
"""Raised when the roles begin to write something else for the same description."""


def record(**description: object) -> str:
    """Sixteen hex digits, the same for equal descriptions whatever their order."""
    text = json.dumps({"format": FORMAT, **description}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
