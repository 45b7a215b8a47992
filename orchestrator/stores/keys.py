"""New cephx keys and fsids, as ceph-authtool and uuidgen would make them."""

import base64
import os
import struct
import time
import uuid

from orchestrator.model.names import Fsid

AES = 1
KEY_BYTES = 16


def new_fsid() -> Fsid:
    return Fsid(str(uuid.uuid4()))


def new_key() -> str:
    """A cephx AES key in base64: type, creation time (s, ns), length, then the secret itself."""
    header = struct.pack("<HIIH", AES, int(time.time()), 0, KEY_BYTES)
    return base64.b64encode(header + os.urandom(KEY_BYTES)).decode()
