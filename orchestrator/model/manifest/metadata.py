"""The part of an object's metadata that a pass reads; Kubernetes may add whatever else."""

import re
from typing import Annotated

from pydantic import ConfigDict, Field

from orchestrator.model.manifest.problems import ABSENT, Finding
from orchestrator.model.spec.base import Int64, Section, StringMap

# What kubectl takes when a manifest names none.
DEFAULT_NAMESPACE = "default"

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_NAME_LENGTH = 253
_NAMESPACE_LENGTH = 63


class Metadata(Section):
    model_config = ConfigDict(extra="ignore")

    annotations: StringMap = Field(default_factory=dict)
    deletion_timestamp: str = ""
    generation: Annotated[Int64, Field(ge=0)] = 1
    labels: StringMap = Field(default_factory=dict)
    name: str = ""
    namespace: str = ""
    uid: str = ""


def names(metadata: Metadata) -> tuple[Finding, ...]:
    """Check the names as Kubernetes does (DNS-1123): they become parts of other names."""
    return (*_name(metadata.name), *_namespace(metadata.namespace))


def _name(name: str) -> tuple[Finding, ...]:
    path = ("metadata", "name")
    if not name:
        return (Finding(path, "is required", "add metadata.name", ABSENT),)
    if len(name) > _NAME_LENGTH or not _SUBDOMAIN.fullmatch(name):
        message = "must be a DNS name of lower-case letters, digits, dashes and dots"
        return (Finding(path, message, "begin and end it with a letter or a digit", name),)
    return ()


def _namespace(namespace: str) -> tuple[Finding, ...]:
    valid = len(namespace) <= _NAMESPACE_LENGTH and re.fullmatch(_LABEL, namespace)
    if namespace and not valid:
        message = "must be at most 63 lower-case letters, digits and dashes"
        remedy = "begin and end it with a letter or a digit"
        return (Finding(("metadata", "namespace"), message, remedy, namespace),)
    return ()
