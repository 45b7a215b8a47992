"""The reference of the manifest: every field of the models, and whether it has an effect."""

from itertools import groupby

from handbook.fields import Effect, Field, fields
from orchestrator.model.manifest import Platform
from orchestrator.model.spec import CephClusterSpec

HEAD = """\
# Every field of the manifest

Made from the models by `make reference`. The manifest is Rook's `CephCluster` (`ceph.rook.io/v1`);
every field of Rook's is understood and checked. A field that is set and has no effect is named in a
warning, never dropped in silence. A field that does not exist is named with the closest one that
does; under `storage` it refuses the manifest ([decision 5](decisions/0005-unknown-fields.md)).

Paths are below `spec`; `[]` stands for any element of a list, `*` for any key of a map. `null` is
the same as leaving a field out. Types in italics are Kubernetes' own.

| on hosts, in Kubernetes | |
|---|---|
| **yes** | is acted on |
| **as is** | the value that is named is what there is anyway; any other is named in a warning |
| no | is named in a warning |

"""

PAGES = {
    "cephConfig": "configuration.md#cephconfig",
    "cephConfigFromSecret": "configuration.md#secrets",
    "cleanupPolicy": "operations.md#deleting-a-cluster",
    "continueUpgradeAfterChecksEvenIfNotHealthy": "storage.md#restarts",
    "crashCollector": "services.md#crashes",
    "dashboard": "configuration.md#mgr-modules",
    "disruptionManagement": "storage.md#restarts",
    "healthCheck": "configuration.md#muted-warnings",
    "logCollector": "services.md#logs",
    "mgr": "configuration.md#mgr-modules",
    "mon": "operations.md#mons",
    "monitoring": "configuration.md#mgr-modules",
    "network": "operations.md#mons",
    "placement": "placement.md",
    "removeOSDsIfOutAndSafeToRemove": "kubernetes-objects.md#osds-that-are-gone-for-good",
    "resources": "services.md#resources",
    "skipUpgradeChecks": "storage.md#restarts",
    "storage": "storage.md",
    "upgradeOSDRequiresHealthyPGs": "storage.md#restarts",
    "waitTimeoutForHealthyOSDInMinutes": "storage.md#restarts",
}
TABLE = "| field | type | default | on hosts | in Kubernetes |\n|---|---|---|---|---|\n"


def page() -> str:
    """The whole page: a section for each field directly below spec."""
    found = groupby(fields(CephClusterSpec), key=lambda one: _top(one.path))
    return HEAD + "\n".join(_section(top, tuple(group)) for top, group in found)


def _top(path: str) -> str:
    return path.partition(".")[0].removesuffix("[]")


def _section(top: str, found: tuple[Field, ...]) -> str:
    told = f"[What it does]({PAGES[top]}).\n\n" if top in PAGES else ""
    return f"## {top}\n\n{told}{TABLE}{''.join(_row(one) for one in found)}"


def _row(one: Field) -> str:
    default = one.default if one.default in {"", "required"} else f"`{one.default}`"
    kind = " ".join(f"*{word}*" if word[0].isupper() else word for word in one.type.split())
    effects = " | ".join(_words(one.effects[platform]) for platform in Platform)
    return f"| `{one.path}` | {kind} | {default} | {effects} |\n"


def _words(one: Effect) -> str:
    if one.acted_on:
        return "**yes**"
    if one.keys:
        return f"**yes**: {', '.join(f'`{key}`' for key in one.keys)}"
    return f"**as is**: `{one.given}`" if one.given else "no"
