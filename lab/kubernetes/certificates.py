"""The control plane's own authority: who its servers are and who may speak to them."""

import datetime as dt
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFE = dt.timedelta(days=3650)
PRIVATE = 0o600
SIGNS = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key, each in a PEM file."""

    certificate: Path
    key: Path


def ensure_authority(folder: Path) -> Pair:
    """Return the authority that signs all others, made when it is not there."""
    pair = _pair(folder, "ca")
    if not pair.certificate.exists():
        key = _new_key(pair.key)
        builder = _builder("lab", (), key, key.public_key()).issuer_name(_name("lab", ()))
        for extension in (x509.BasicConstraints(ca=True, path_length=None), SIGNS):
            builder = builder.add_extension(extension, critical=True)
        _write(pair.certificate, builder.sign(key, hashes.SHA256()))
    return pair


def ensure_key(path: Path) -> Path:
    """Make the key that signs the tokens of service accounts."""
    if not path.exists():
        _new_key(path)
    return path


def ensure(
    authority: Pair,
    name: str,
    user: str,
    groups: Iterable[str] = (),
    addresses: Iterable[str] = (),
) -> Pair:
    """Return a certificate, issued when it is not there: Kubernetes reads user and groups from it.

    Args:
        authority: who signs.
        name: the name of its files.
        user: the common name.
        groups: the organisations.
        addresses: IP addresses and DNS names that a server has.

    """
    pair = _pair(authority.key.parent, name)
    if pair.certificate.exists():
        return pair
    issuer = x509.load_pem_x509_certificate(authority.certificate.read_bytes())
    signer = serialization.load_pem_private_key(authority.key.read_bytes(), None)
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise TypeError(f"{authority.key} is no key of the lab")
    key = _new_key(pair.key)
    builder = _builder(user, groups, key, signer.public_key()).issuer_name(issuer.subject)
    usage = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
    builder = builder.add_extension(x509.ExtendedKeyUsage(usage), critical=False)
    if names := [_general_name(address) for address in addresses]:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    _write(pair.certificate, builder.sign(signer, hashes.SHA256()))
    return pair


def _pair(folder: Path, name: str) -> Pair:
    return Pair(folder / f"{name}.crt", folder / f"{name}.key")


def _new_key(path: Path) -> ec.EllipticCurvePrivateKey:
    path.parent.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PrivateFormat.TraditionalOpenSSL
    text = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    path.touch(PRIVATE)
    path.write_bytes(text)
    return key


def _builder(
    user: str,
    groups: Iterable[str],
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePublicKey,
) -> x509.CertificateBuilder:
    """Return what all certificates have in common; Python 3.14 insists on both identifiers."""
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(user, groups))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + LIFE)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer), critical=False)
    )


def _name(user: str, groups: Iterable[str]) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, user)])


def _general_name(address: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(address))
    except ValueError:
        return x509.DNSName(address)


def _write(path: Path, certificate: x509.Certificate) -> None:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
