import base64
import struct

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import redact


def key(kind: int, secret: bytes) -> str:
    """Encode a key as Ceph does: type, time, length, secret."""
    return base64.b64encode(
        struct.pack("<HIIH", kind, 1_790_000_000, 7, len(secret)) + secret
    ).decode()


KEYS = [
    key(1, bytes(range(16))),
    key(1, b"\xff" * 16),
    key(2, bytes(range(32))),
    key(2, b"\xff" * 32),
    "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA==",
]


@pytest.mark.parametrize("secret", KEYS)
@pytest.mark.parametrize(
    "text",
    [
        '[client.admin]\n\tkey = {}\n\tcaps mon = "allow *"',
        '{{"entity":"osd.0","key":"{}","caps":{{}}}}',
        "error in '/{}' of the keyring",
        "key:{},x",
    ],
)
def test_no_key_survives(text: str, secret: str) -> None:
    shown = redact.redact(text.format(secret))
    assert secret not in shown
    assert secret[:12] not in shown
    assert redact.HIDDEN in shown


@pytest.mark.parametrize(
    "text",
    [
        "Error EINVAL: key for client.bootstrap-osd exists but cap mon does not match",
        "0a1b2c3d-1111-4222-8333-444455556666",
        "/dev/disk/by-id/ata-AQ123_ST480",
        "the cluster refuses the key of client.admin: permission denied",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert redact.redact(text) == text


SECRET_NAMES = (
    "rgw_keystone_admin_password",
    "rgw keystone admin token",
    "mgr/dashboard/GRAFANA_API_PASSWORD",
    "rgw-ldap-secret",
    "rgw_crypt_default_encryption_key",
    "rgw_crypt_s3_kms_encryption_keys",
    "mgr/x/api-key",
)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_secret_of_a_file_is_not_shown_by_its_name(name: str) -> None:
    text = f"[client]\n\t{name} = hunter2 and more\nlog_file = x\n# token: none\n{name} =\n"
    shown = f"[client]\n\t{name} = ********\nlog_file = x\n# token: none\n{name} =\n"
    assert redact.redact_file(text) == shown
    assert redact.is_secret(name)


@pytest.mark.parametrize("name", ["keyring", "mon_host", "public_network", "auth_cluster_required"])
def test_other_options_of_a_file_are_shown(name: str) -> None:
    assert redact.redact_file(f"{name} = x\n") == f"{name} = x\n"
    assert not redact.is_secret(name)
