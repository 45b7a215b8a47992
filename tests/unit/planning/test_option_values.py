"""Values of options: which ones are the same to Ceph. The left one is always as Ceph stores it."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import redact

from orchestrator.planning import option_values


@pytest.mark.parametrize(
    ("current", "wanted"),
    [
        ("5", "5"),
        ("true", "yes"),
        ("true", "1"),
        ("false", "off"),
        ("false", "False"),
        ("4294967296", "4G"),
        ("4294967296", "4Gi"),
        ("4294967296", "4GiB"),
        ("4294967296", "4294967296B"),
        ("939524096", "896M"),
        ("4000", "4K"),
        ("0.850000", "0.85"),
        ("0.850000", ".85"),
        ("-1.000000", "-1"),
        ("0.001000", "1e-3"),
        ("600", "10m"),
        ("3600", "1h"),
        ("86400", "1 day"),
        ("1/1", "1"),
        ("0/5", "0/5"),
        ("20/20", "20"),
        ("upmap", "upmap"),
        (
            "sha256:2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",
            "secret",
        ),
    ],
)
def test_another_writing_is_the_same_value(current, wanted):
    assert option_values.same(current, wanted)


@pytest.mark.parametrize(
    ("current", "wanted"),
    [
        ("5", "6"),
        ("true", "false"),
        ("true", "2"),
        ("4294967296", "4M"),
        ("4000", "4Ki"),
        ("600", "10h"),
        ("1/5", "1"),
        ("1/1", "1/5"),
        ("upmap", "Upmap"),
        ("", "0"),
        ("10.0.0.0/8", "10.0.0.0/16"),
        (f"sha256:{'0' * 64}", "secret"),
    ],
)
def test_another_meaning_is_another_value(current, wanted):
    assert not option_values.same(current, wanted)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("osd_memory_target", "4G", "4G"),
        ("rgw_keystone_admin_password", "hunter2", "sha256:f52fbd32b2b3"),
        ("anything", f"sha256:{'0' * 64}", "sha256:000000000000"),
    ],
)
def test_a_plan_shows_no_secret(name, value, expected):
    assert option_values.shown(name, value) == expected


@pytest.mark.parametrize("name", ["rgw_crypt_s3_kms_encryption_keys", "mgr/alerts/smtp_password"])
def test_the_name_of_an_option_says_that_it_is_a_secret(name):
    assert option_values.is_secret(name)
    assert redact.is_secret(name)
