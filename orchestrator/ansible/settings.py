"""Settings, mgr modules and the dashboard of a step as Ansible sees them (pure).

What a step does not ask for is left to the role's defaults. A value that is a secret is named, or
goes to the task that shows nothing.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from orchestrator.model.plan import ConfigSetting, ConfigStep, MgrStep, ModuleSetting, MonStep
from orchestrator.planning import option_values


def of_new_cluster(step: MonStep) -> dict[str, Any]:
    """The settings of a new cluster's first step; those that nobody keeps come first.

    The role itself takes care that nobody keeps them.
    """
    return {
        "mon_initial_settings": [_plain(one) for one in step.settings if not one.owned],
        "config_settings": [_setting(one) for one in step.settings if one.owned],
        **_asked_for(
            {"config_muted": list(step.mutes), "config_full_ratios": dict(step.full_ratios)}
        ),
    }


def of_config(step: ConfigStep) -> dict[str, Any]:
    hidden = [one for one in step.settings if _is_hidden(one)]
    named = {
        "config_secret_settings": [_setting(one) for one in hidden],
        "config_removed": [asdict(one) for one in step.removed],
        "config_released": [asdict(one) for one in step.released],
        "config_muted": list(step.mutes),
        "config_unmuted": list(step.unmutes),
        "config_full_ratios": dict(step.full_ratios),
        "config_osd_release": step.osd_release,
        "config_osd_classes": [
            {"id": int(osd), "device_class": name} for osd, name in step.device_classes.items()
        ],
        "config_osd_weights": [
            {"id": int(osd), "weight": f"{weight:g}"} for osd, weight in step.weights.items()
        ],
        "config_users": [{"entity": one.entity, "caps": dict(one.caps)} for one in step.users],
        "config_restarted_modules": list(step.restarts),
    }
    return {
        "config_settings": [_setting(one) for one in step.settings if not _is_hidden(one)],
        "config_removed_users": list(step.removed_users),
        **_asked_for(named),
    }


def of_mgrs(step: MgrStep) -> dict[str, Any]:
    dashboard = asdict(step.dashboard) if step.dashboard else {}
    return {
        "mgr_modules": [_module(one) for one in step.modules],
        "mgr_active_timeout": 0,
        **_asked_for({"mgr_dashboard": _set(dashboard)}),
    }


def _is_hidden(setting: ConfigSetting) -> bool:
    return setting.secret is not None or option_values.is_secret(setting.name)


def _setting(setting: ConfigSetting) -> dict[str, Any]:
    if setting.secret:
        place = {"section": setting.section, "name": setting.name}
        return {**place, "secret": asdict(setting.secret)}
    return {**_plain(setting), **({} if setting.owned else {"owned": False})}


def _plain(setting: ConfigSetting) -> dict[str, Any]:
    return {"section": setting.section, "name": setting.name, "value": setting.value}


def _module(module: ModuleSetting) -> dict[str, Any]:
    serves = {"serves": _set(asdict(module.serves))} if module.serves else {}
    return {"name": module.name, "enabled": module.enabled, **serves}


def _set(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that say something; `False` does."""
    return {name: value for name, value in values.items() if value is False or value}


def _asked_for(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in named.items() if value}
