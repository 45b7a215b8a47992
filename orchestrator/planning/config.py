"""Options of the mon store: what a new cluster begins with, and what the manifest asks for.

`cephConfig` is kept as the manifest says. Rook's defaults are given to a new cluster only: an
admin who later turns, say, mon_allow_pool_delete off is not overruled by a tool.
"""

from collections.abc import Iterator, Mapping

from orchestrator.model.facts import Cluster, DaemonType
from orchestrator.model.plan import Action, Change, ConfigSetting, ConfigStep
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import host_services, option_values
from orchestrator.planning.context import Context

NEW_CLUSTER: Mapping[str, str] = {
    "mon_allow_pool_delete": "true",
    "mon_allow_pool_size_one": "true",
    "auth_allow_insecure_global_id_reclaim": "false",
}
"""The first two as Rook sets them (ROOK-COMPAT section 4); the last closes CVE-2021-20288."""


def wanted(spec: CephClusterSpec) -> tuple[ConfigSetting, ...]:
    """What the manifest asks for, sorted: networks and `cephConfig`, which wins."""
    found: dict[tuple[str, str], str] = {}
    for name, ranges in (
        ("public_network", spec.public_ranges),
        ("cluster_network", spec.cluster_ranges),
    ):
        if ranges:
            found["global", name] = ",".join(ranges)
    found |= host_services.settings(spec)
    for section, options in spec.ceph_config.items():
        for name, value in options.items():
            found[section, _canonical_name(name)] = value
    return _settings(found)


def for_new_cluster(spec: CephClusterSpec) -> tuple[ConfigSetting, ...]:
    """Rook's defaults under the manifest's own settings."""
    found = {("global", name): value for name, value in NEW_CLUSTER.items()}
    found |= {(setting.section, setting.name): setting.value for setting in wanted(spec)}
    return _settings(found)


def _settings(found: Mapping[tuple[str, str], str]) -> tuple[ConfigSetting, ...]:
    return tuple(
        ConfigSetting(section=section, name=name, value=value)
        for (section, name), value in sorted(found.items())
    )


def _canonical_name(name: str) -> str:
    return name.strip().replace(" ", "_").replace("-", "_")


def steps(context: Context) -> Iterator[ConfigStep]:
    """At most one step with every setting that differs."""
    cluster = context.facts.cluster
    if cluster is None or "config" in cluster.unanswered:
        return
    current = _current(cluster)
    differing = tuple(
        setting
        for setting in _due(context, cluster)
        if not _same(current.get((setting.section, setting.name)), setting.value)
    )
    if differing:
        yield ConfigStep(
            changes=tuple(_change(setting, current) for setting in differing),
            fsid=context.fsid,
            mons=context.mons,
            admin_host=context.admin_host,
            settings=differing,
        )


def _due(context: Context, cluster: Cluster) -> tuple[ConfigSetting, ...]:
    """A creation may have been cut right after its first quorum, before the settings came."""
    begun = cluster.osds or context.facts.daemons(DaemonType.MGR)
    return wanted(context.spec) if begun else for_new_cluster(context.spec)


def _current(cluster: Cluster) -> dict[tuple[str, str], str]:
    return {(setting.who, setting.name): setting.value for setting in cluster.config}


def _change(setting: ConfigSetting, current: Mapping[tuple[str, str], str]) -> Change:
    before = current.get((setting.section, setting.name))
    return Change(
        action=Action.SET,
        subject=f"config {setting.section}/{setting.name}",
        reason=f"{shown(setting)} instead of "
        f"{'nothing' if before is None else option_values.shown(setting.name, before)}",
    )


def shown(setting: ConfigSetting) -> str:
    return option_values.shown(setting.name, setting.value)


def _same(current: str | None, value: str) -> bool:
    return current is not None and option_values.same(current, value)
