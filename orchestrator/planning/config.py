"""The mon store: what a new cluster begins with, and what the manifest asks for.

`cephConfig` is kept as the manifest says. Rook's defaults are given to a new cluster only: an
admin who later turns, say, mon_allow_pool_delete off is not overruled by a tool. An option that we
set and that leaves the manifest is unset, unless somebody else has given it another value since.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from orchestrator.model.facts import Cluster, DaemonType, Owned
from orchestrator.model.plan import (
    Action,
    Change,
    ConfigOption,
    ConfigSetting,
    ConfigStep,
    PlacedMon,
    Reason,
)
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import (
    caps,
    full_ratios,
    host_services,
    mgr_ports,
    module_options,
    mutes,
    network,
    option_values,
    osd_release,
    osd_updates,
    secrets,
)
from orchestrator.planning.context import Context
from orchestrator.planning.option_names import option_key

Key = tuple[str, str]
Current = Mapping[Key, str]

NOWHERE: mgr_ports.Places = MappingProxyType({})

NEW_CLUSTER: Mapping[str, str] = {
    "mon_allow_pool_delete": "true",
    "mon_allow_pool_size_one": "true",
    "auth_allow_insecure_global_id_reclaim": "false",
}
"""The first two as Rook sets them (ROOK-COMPAT section 4); the last closes CVE-2021-20288."""


def all_wanted(context: Context) -> tuple[ConfigSetting, ...]:
    """What the manifest itself says, for the mons and mgrs that there are to be."""
    return wanted(context.spec, context.mons, context.mgrs)


def wanted(
    spec: CephClusterSpec, mons: Sequence[PlacedMon] = (), mgrs: mgr_ports.Places = NOWHERE
) -> tuple[ConfigSetting, ...]:
    """What the manifest itself says, sorted: networks, modules, and `cephConfig`, which wins."""
    found: dict[Key, str] = dict(network.settings(spec, mons))
    found |= host_services.settings(spec)
    found |= module_options.wanted(spec) | mgr_ports.wanted(spec, mgrs)
    for section, options in spec.ceph_config.items():
        for name, value in options.items():
            found[option_key(section, name)] = value
    return _sorted(_setting(key, value) for key, value in found.items())


def for_new_cluster(
    spec: CephClusterSpec, mons: Sequence[PlacedMon] = (), mgrs: mgr_ports.Places = NOWHERE
) -> tuple[ConfigSetting, ...]:
    """Rook's defaults, which are not ours to keep, under the manifest's own settings.

    What must be shown nowhere comes with a step of its own.
    """
    own = [one for one in wanted(spec, mons, mgrs) if not option_values.is_secret(one.name)]
    named = {_key(setting) for setting in own}
    defaults = (
        ConfigSetting(section="global", name=name, value=value, owned=False)
        for name, value in NEW_CLUSTER.items()
        if ("global", name) not in named
    )
    return _sorted((*defaults, *own))


def _setting(key: Key, value: str) -> ConfigSetting:
    return ConfigSetting(section=key[0], name=key[1], value=value)


def _sorted(settings: Iterable[ConfigSetting]) -> tuple[ConfigSetting, ...]:
    return tuple(sorted(settings, key=_key))


def _key(setting: ConfigSetting | ConfigOption) -> Key:
    return setting.section, setting.name


def steps(context: Context) -> Iterator[ConfigStep]:
    """At most one step with all that differs in the mon store."""
    cluster = context.facts.cluster
    if cluster and "config" in cluster.unanswered:
        return
    owned = cluster.owned if cluster else Owned()
    current = _current(cluster)
    differing = tuple(_differing(context, current, owned))
    removed, released = _gone(context, current, owned)
    # A new cluster begins with its mutes, as with its options.
    muting = mutes.planned(context.spec, cluster) if cluster else mutes.NO_MUTES
    repaired = tuple(caps.drifted(context.facts))
    changed = {one.name for one in differing} | {one.name for one in removed}
    restarts = _restarts(context, changed)
    ratios = full_ratios.differing(context.spec, cluster) if cluster else {}
    release = osd_release.due(cluster)
    updates = osd_updates.Updates(context=context)
    changes = (
        *(_set(setting, current) for setting in differing),
        *(_unset(option, current) for option in removed),
        *(_released(option, current) for option in released),
        *(_restart(name) for name in restarts),
        *muting.changes,
        *full_ratios.changes(ratios, cluster),
        *osd_release.changes(release, cluster),
        *updates.changes,
        *(change for change, _ in repaired),
    )
    if changes:
        yield ConfigStep(
            changes=changes,
            fsid=context.fsid,
            mons=context.mons,
            admin_host=context.admin_host,
            settings=differing,
            removed=removed,
            released=released,
            restarts=restarts,
            mutes=muting.on,
            unmutes=muting.off,
            full_ratios=ratios,
            osd_release=release,
            device_classes=updates.classes,
            weights=updates.weights,
            users=tuple(user for _, user in repaired),
        )


def blocked(context: Context) -> Iterator[Reason]:
    """Secrets that the manifest names and the inventory lacks, ratios that cannot be so."""
    yield from secrets.resolved(context).reasons()
    yield from full_ratios.blocked(context.spec, context.facts.cluster)


def _differing(context: Context, current: Current, owned: Owned) -> Iterator[ConfigSetting]:
    for setting in _due(context):
        if not _same(current.get(_key(setting)), setting, owned):
            yield setting


def _due(context: Context) -> tuple[ConfigSetting, ...]:
    """All that must be set once the mons have a quorum.

    The first mons come with the settings that are no secret. A creation may have been cut right
    after its first quorum, before those settings came.
    """
    cluster, own = context.facts.cluster, all_wanted(context)
    named = {_key(setting) for setting in own}
    found = (one for one in secrets.resolved(context).settings if _key(one) not in named)
    if cluster is None:
        return _sorted((*(one for one in own if option_values.is_secret(one.name)), *found))
    begun = cluster.osds or context.facts.daemons(DaemonType.MGR)
    first = () if begun else for_new_cluster(context.spec, context.mons, context.mgrs)
    defaults = (one for one in first if not one.owned)
    return _sorted((*defaults, *own, *found))


def _current(cluster: Cluster | None) -> Current:
    return {(one.who, one.name): one.value for one in cluster.config} if cluster else {}


def _same(current: str | None, setting: ConfigSetting, owned: Owned) -> bool:
    """Of a secret only digests can be compared, and Ceph may have stored it in another form."""
    if current is None:
        return False
    kept = owned.secrets.get(setting.section, {}).get(setting.name)
    if kept and option_values.same(kept.given, setting.value):
        return option_values.same(current, kept.stored)
    return option_values.same(current, setting.value)


def _gone(
    context: Context, current: Current, owned: Owned
) -> tuple[tuple[ConfigOption, ...], tuple[ConfigOption, ...]]:
    """Options that are ours and no longer wanted: those to unset, and those that others changed."""
    cluster = context.facts.cluster
    if cluster is None:
        return (), ()
    found = secrets.resolved(context)
    wished = {_key(setting) for setting in (*all_wanted(context), *found.settings)}
    wished |= {key for key, _ in found.missing}
    left = {key: value for key, value in _recorded(owned) if key not in wished}
    ours = {
        key
        for key, value in left.items()
        if key in current and option_values.same(current[key], value)
    }
    return _options(ours), _options(set(left) - ours)


def _recorded(owned: Owned) -> Iterator[tuple[Key, str]]:
    for section, options in owned.settings.items():
        for name, value in options.items():
            yield (section, name), value
    for section, kept in owned.secrets.items():
        for name, secret in kept.items():
            yield (section, name), secret.stored


def _options(keys: set[Key]) -> tuple[ConfigOption, ...]:
    return tuple(ConfigOption(section=section, name=name) for section, name in sorted(keys))


def _restarts(context: Context, names: set[str]) -> tuple[str, ...]:
    """Modules that run and read the changed options only when they start."""
    cluster = context.facts.cluster
    if cluster is None or not cluster.mgr.available:
        return ()
    mgrs = {cluster.mgr.active, *cluster.mgr.standbys}
    changed = {module_options.module_of(name, mgrs) for name in names}
    running = {name for name in module_options.SERVING if name in cluster.mgr_modules.enabled}
    return tuple(sorted(changed & running & module_options.serving(context.spec)))


def _set(setting: ConfigSetting, current: Current) -> Change:
    before = current.get(_key(setting))
    was = "nothing" if before is None else option_values.shown(setting.name, before)
    if setting.secret and before is not None:
        was = option_values.hidden(before)
    return Change(
        action=Action.SET, subject=_subject(setting), reason=f"{shown(setting)} instead of {was}"
    )


def _unset(option: ConfigOption, current: Current) -> Change:
    value = option_values.shown(option.name, current[_key(option)])
    reason = f"it is {value}, and the manifest that set it no longer does"
    return Change(action=Action.UNSET, subject=_subject(option), reason=reason)


def _released(option: ConfigOption, current: Current) -> Change:
    """One that is not there was unset by somebody, or a run was cut off before it set it."""
    value = current.get(_key(option))
    fate = "it is not set"
    if value is not None:
        shown = option_values.shown(option.name, value) or "empty"
        fate = f"it is now {shown} by somebody else, and stays so"
    reason = f"{fate}; it is no longer taken for ours"
    return Change(action=Action.RELEASE, subject=_subject(option), reason=reason)


def _restart(module: str) -> Change:
    reason = "it reads the changed options when it starts"
    return Change(action=Action.RESTART, subject=f"mgr module {module}", reason=reason)


def _subject(option: ConfigSetting | ConfigOption) -> str:
    return f"config {option.section}/{option.name}"


def shown(setting: ConfigSetting) -> str:
    """The value for a plan that anybody may read."""
    return option_values.shown(setting.name, setting.value)
