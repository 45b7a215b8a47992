"""Values that the manifest takes from a Secret, known here by their digests alone.

On hosts a Secret is an entry of the inventory's `ceph_secrets`, which may be encrypted. Ansible
itself reads it, on the host where the value is needed; what planning compares are digests.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.model.plan import ConfigSetting, Reason, SecretKey
from orchestrator.planning.context import Context
from orchestrator.planning.option_names import option_key

Key = tuple[str, str]
PATH = "spec.cephConfigFromSecret"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Settings whose values are there, and the sections and names of those that are not."""

    settings: tuple[ConfigSetting, ...]
    missing: tuple[tuple[Key, SecretKey], ...]

    def reasons(self) -> Iterator[Reason]:
        for (section, name), secret in self.missing:
            text = f"{PATH} takes {section}/{name} from the key {secret.key} of {secret.name}, and "
            text += "ceph_secrets of the inventory does not have it"
            yield Reason(code="SecretMissing", message=text)


def digest(context: Context, secret: SecretKey) -> str:
    """The digest of a value as the admin host sees it; empty when it is not there."""
    host = context.facts.hosts.get(context.admin_host)
    return host.secrets.get(secret.name, {}).get(secret.key, "") if host else ""


def resolved(context: Context) -> Secrets:
    """An optional value that is not there is not asked for; any other that is not is missing."""
    settings, missing = [], []
    for section, options in context.spec.ceph_config_from_secret.items():
        for option, source in options.items():
            key = option_key(section, option)
            secret = SecretKey(name=source.name, key=source.key)
            value = digest(context, secret)
            if value:
                settings.append(
                    ConfigSetting(section=key[0], name=key[1], value=value, secret=secret)
                )
            elif not source.optional:
                missing.append((key, secret))
    return Secrets(settings=tuple(settings), missing=tuple(missing))
