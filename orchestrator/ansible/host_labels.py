"""Labels and taints of hosts, from the inventory variables `ceph_labels` and `ceph_taints` (pure).

Kubernetes' own forms and limits hold: one manifest places the same daemons here and there.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.model.facts import Taint

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")

_NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_PREFIX = r"[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?"
_KEY = re.compile(f"(?:{_PREFIX}/)?{_NAME}")
_VALUE = re.compile(f"(?:{_NAME})?")
_TAINT = re.compile(r"(?P<key>[^=:]+)(?:=(?P<value>[^:]*))?:(?P<effect>[^:]+)")
_FIELDS = frozenset({"key", "value", "effect"})


class LabelError(ValueError):
    """A variable that cannot be read; the text names it, the value and a right form."""


def labels(variables: Mapping[str, Any]) -> dict[str, str]:
    """`ceph_labels` as texts: YAML's true and 1 are "true" and "1", as in Kubernetes."""
    given = variables.get("ceph_labels") or {}
    if not isinstance(given, Mapping):
        raise LabelError(
            f"ceph_labels is {given!r}; write a mapping of plain values, such as {{disk: fast}}"
        )
    return {_key("ceph_labels", key): _value("ceph_labels", value) for key, value in given.items()}


def taints(variables: Mapping[str, Any]) -> tuple[Taint, ...]:
    """`ceph_taints`, each `key=value:effect` as kubectl writes it, or a mapping as nodes have."""
    given = variables.get("ceph_taints") or ()
    if isinstance(given, str | Mapping):
        raise LabelError(
            f"ceph_taints is {given!r}; write a list, such as [dedicated=db:NoSchedule]"
        )
    return tuple(_taint(one) for one in given)


def _taint(given: object) -> Taint:
    fields = dict(_fields(given))
    effect = str(fields.get("effect") or "")
    if effect not in EFFECTS or set(fields) - _FIELDS:
        raise LabelError(
            f"ceph_taints has {given!r}; write key=value:effect, "
            f"where effect is one of {', '.join(EFFECTS)}"
        )
    key, value = fields.get("key"), fields.get("value")
    return Taint(
        key=_key("ceph_taints", key),
        value=_value("ceph_taints", "" if value is None else value),
        effect=effect,
    )


def _fields(given: object) -> Iterator[tuple[str, object]]:
    if isinstance(given, Mapping):
        yield from given.items()
    elif found := _TAINT.fullmatch(str(given)):
        yield from found.groupdict().items()


def _key(variable: str, key: object) -> str:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise LabelError(f"{variable} has the key {key!r}, which is no key of a Kubernetes label")
    return key


def _value(variable: str, value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not isinstance(value, str | int | float) or not _VALUE.fullmatch(text):
        raise LabelError(
            f"{variable} has the value {value!r}, which is no value of a Kubernetes label; "
            "write a plain text of up to 63 letters, digits, '-', '_' and '.'"
        )
    return text
