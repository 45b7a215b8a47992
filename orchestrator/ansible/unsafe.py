"""Texts that Ansible must take as they are: what a user wrote is no template of ours."""

from collections.abc import Mapping
from typing import Any

import yaml

TAG = "!unsafe"


class Unsafe(str):
    """A text that is written with Ansible's own tag for it."""

    __slots__ = ()


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """`value` with all its texts, at any depth, taken as they are; names of fields stay."""
    if isinstance(value, str):
        return Unsafe(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _represented(dumper: yaml.SafeDumper, value: Unsafe) -> yaml.ScalarNode:
    return dumper.represent_scalar(TAG, str(value), style='"')


yaml.SafeDumper.add_representer(Unsafe, _represented)
