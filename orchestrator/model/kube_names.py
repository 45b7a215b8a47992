"""Names of Kubernetes objects that hold a node's name, byte for byte as Rook makes them.

A name over the limit would be refused by the API server, and a cut one would make two nodes
collide, so the node's part becomes a hash (Rook: `k8sutil.TruncateNodeName`, CASES C21). So does
one that no name may hold: labels, by which nodes may be known, may have capitals and underscores.
"""

import hashlib
import re

OBJECT_LIMIT = 63
JOB_LIMIT = 53
"""Kubernetes appends to a Job's name for its pods."""

PART = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
VALID = re.compile(rf"{PART}(\.{PART})*")
HASH_BYTES = 16
LABEL_LIMIT = 63


def object_name(template: str, node: str) -> str:
    """`template` with `{}` for the node, for Deployments, ConfigMaps and the like."""
    return _named(template, node, OBJECT_LIMIT)


def job_name(template: str, node: str) -> str:
    """`template` with `{}` for the node, for a Job."""
    return _named(template, node, JOB_LIMIT)


def _named(template: str, node: str, limit: int) -> str:
    name = template.format(node)
    valid = len(name) <= limit and VALID.fullmatch(name)
    return name if valid else template.format(hashed(node))


def hashed(node: str) -> str:
    """The first 16 bytes of the name's SHA-256, in hexadecimal."""
    return hashlib.sha256(node.encode()).digest()[:HASH_BYTES].hex()


def label_value(text: str) -> str:
    """`text` cut to what a label may hold; it ends, as it must, in a letter or digit."""
    return re.sub(r"[^A-Za-z0-9]+$", "", text[:LABEL_LIMIT])
