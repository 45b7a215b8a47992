"""What Ansible says of an inventory, in one message that a person can act on (pure).

Ansible tries one plugin after the other on a file and prints why each of them failed; only the one
that the file was written for is worth reading.
"""

import re
from collections.abc import Iterator

_FAILED = re.compile(r"Completely failed to parse inventory source (?P<path>.+)")
_REASON = re.compile(
    r"\[WARNING\]:\s+(?:\* )?Failed to parse (?:inventory|\S+) with '?(?P<plugin>\w+)'? plugin: "
    r"(?P<reason>.+)"
)
_ORIGIN = re.compile(r"^Origin: (?P<path>[^<>]+):(?P<line>\d+):\d+$", re.MULTILINE)
_SKIPPED = re.compile(r"Skipping\s+unexpected\s+key\s+\((.+?)\)\s+in\s+group\s+\((.+?)\)")
_MARK = re.compile(r"^(?:\[ERROR\]: |ERROR! )")
_VAULT = re.compile(r"\bvault\b", re.IGNORECASE)
_YAML = (".yml", ".yaml", ".json")
_NO_PLUGIN = "no root 'plugin' key"
_REMEDY = "name the file with the right password in ANSIBLE_VAULT_PASSWORD_FILE"
_KEPT_LINES = 3


def refusal(said: str) -> str:
    """Why `ansible-inventory` failed; `said` is its stderr."""
    if failed := _FAILED.search(said):
        return _unparsed(failed["path"].strip(), said)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    marked = next((index for index, line in enumerate(lines) if _MARK.match(line)), None)
    kept = lines[marked:] if marked is not None else lines
    text = _MARK.sub("", " ".join(kept[-_KEPT_LINES:]))
    if not text:
        return "ansible-inventory failed without a message"
    remedy = f"; remedy: {_REMEDY}" if _VAULT.search(text) else ""
    return f"the inventory cannot be read: {text.rstrip('.')}{remedy}"


def skipped(said: str) -> str:
    """The keys of a YAML inventory that Ansible leaves out with all that is below; "" for none.

    A mistyped `hosts` takes its hosts away, which a plan would take for a wish.
    """
    found = [f"{key} in group {group}" for key, group in _SKIPPED.findall(said)]
    if not found:
        return ""
    return (
        f"the inventory has keys that Ansible skips: {', '.join(found)}; "
        "remedy: a group has only vars, children and hosts: correct or remove the others"
    )


def _unparsed(path: str, said: str) -> str:
    reason = _reason(path, said)
    if not reason:
        return f"{path}: holds no inventory; remedy: write one, or give another path with -i"
    lines = (one["line"] for one in _ORIGIN.finditer(said) if one["path"] == path)
    line = next(lines, "")
    place = f"{path}:{line}" if line else path
    text = reason.removeprefix("Failed to parse inventory: ").rstrip(".")
    return f"{place}: is no inventory: {text}; remedy: correct it, or leave it out"


def _reason(path: str, said: str) -> str:
    """What the plugin said that this file is for: by its `plugin` key, as YAML, or as INI."""
    reasons = dict(_reasons(said))
    named = reasons.pop("auto", "")
    if named and _NO_PLUGIN not in named:
        return named
    likely = reasons.get("yaml" if path.endswith(_YAML) else "ini", "")
    return likely or next(iter(reasons.values()), "")


def _reasons(said: str) -> Iterator[tuple[str, str]]:
    for one in _REASON.finditer(said):
        yield one["plugin"], one["reason"].strip()
