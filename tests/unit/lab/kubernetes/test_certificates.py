"""Certificates of the lab: what Kubernetes reads from them."""

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from lab.kubernetes import certificates


@pytest.fixture
def authority(tmp_path):
    return certificates.ensure_authority(tmp_path / "pki")


def loaded(pair):
    return x509.load_pem_x509_certificate(pair.certificate.read_bytes())


def test_user_and_groups_are_name_and_organisations(authority):
    found = loaded(
        certificates.ensure(authority, "node-1", "system:node:node-1", ("system:nodes",))
    )
    names = found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    groups = found.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    assert [name.value for name in names] == ["system:node:node-1"]
    assert [group.value for group in groups] == ["system:nodes"]
    found.verify_directly_issued_by(loaded(authority))


def test_a_server_is_known_by_its_addresses_and_names(authority):
    found = loaded(certificates.ensure(authority, "s", "s", (), ("127.1.2.3", "kubernetes")))
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(ip) for ip in names.get_values_for_type(x509.IPAddress)] == ["127.1.2.3"]
    assert names.get_values_for_type(x509.DNSName) == ["kubernetes"]


def test_keys_are_private_and_stay_as_they_are(authority):
    pair = certificates.ensure(authority, "one", "one")
    before = pair.certificate.read_bytes()
    assert pair.key.stat().st_mode & 0o777 == 0o600
    assert certificates.ensure(authority, "one", "one").certificate.read_bytes() == before


def test_strict_clients_find_the_identifiers_that_they_insist_on(authority):
    found = loaded(certificates.ensure(authority, "one", "one"))
    signer = found.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    own = loaded(authority).extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    assert signer.key_identifier == own.digest
    usage = loaded(authority).extensions.get_extension_for_class(x509.KeyUsage)
    assert (usage.critical, usage.value.key_cert_sign) == (True, True)
