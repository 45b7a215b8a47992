"""Texts for the page: nothing in them is a key, and nothing in them can be mistaken or hidden.

Markup is escaped by the template; this is for what escaping leaves. The rule for keys is the one of
the modules, read from the collection, so that there is one.
"""

import importlib.util
import unicodedata
from collections.abc import Callable
from functools import cache

from markupsafe import Markup

from orchestrator.ansible import content

HIDDEN_KINDS = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode's controls, marks that turn the direction of writing, halves of pairs, line ends."""

KEPT = frozenset("\n\t")


def clean(value: object) -> object:
    """A text with its keys hidden and its invisible characters shown; other values as they are."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(_shown(character) for character in _redact()(value))


def _shown(character: str) -> str:
    hidden = character not in KEPT and unicodedata.category(character) in HIDDEN_KINDS
    return f"\\u{ord(character):04x}" if hidden else character


@cache
def _redact() -> Callable[[str], str]:
    """`redact` of the collection's module_utils; a plain module without imports of Ansible's."""
    path = content.root() / "plugins" / "module_utils" / "redact.py"
    spec = importlib.util.spec_from_file_location("ceph_orchestrator_redact", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[str], str] = module.redact
    return found
