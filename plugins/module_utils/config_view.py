"""A cluster's settings, what of them is ours, and its dashboard; never a secret among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    config_keys,
    owned,
    redact,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_client

DASHBOARD = "mgr/dashboard/"


def config(
    dump: list[Mapping[str, Any]], written: object, secrets: Collection[str]
) -> list[dict[str, str]]:
    """Give all settings; `written` is our record, `secrets` are digests of values to hide."""
    names = owned.Owned(written).secret_names()
    return [_setting(one, names, secrets) for one in dump]


def _setting(
    one: Mapping[str, Any], names: Collection[tuple[str, str]], secrets: Collection[str]
) -> dict[str, str]:
    """Give a setting; of a secret only its digest, enough to compare it with a wanted one."""
    section, mask, name = str(one["section"]), str(one.get("mask") or ""), str(one["name"])
    value = str(one["value"])
    who = f"{section}/{mask}" if mask else section
    hidden = redact.is_secret(name) or (who, name) in names or owned.digest(value) in secrets
    shown = owned.digest(value) if hidden else value
    return {"section": section, "mask": mask, "name": name, "value": shown}


def record(written: object) -> dict[str, Any]:
    """Give our record; it is empty before there is one."""
    return owned.Owned(written).document()


def dashboard(seen: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Say what the dashboard has; the users without their passwords."""
    if seen is None:
        return None
    accounts, login = seen["accounts"] or {}, seen["login"] or {}
    return {
        "certificate": bool(seen["certificate"]),
        "users": sorted(str(name) for name in accounts.get("users") or ()),
        "password": owned.digest(str(login["password"])) if login.get("password") else "",
    }


def ask_dashboard(client: ceph_client.CephClient, dump: object) -> dict[str, Any] | None:
    """Ask what the dashboard has, of the mons alone: it may hang itself. None while it is off."""
    if not isinstance(dump, dict) or "dashboard" not in (dump.get("modules") or ()):
        return None
    certificate = any(
        config_keys.exists(client, DASHBOARD + name)
        for name in ("crt", f"{dump.get('active_name')}/crt")
    )
    return {
        "certificate": certificate,
        "accounts": config_keys.get(client, f"{DASHBOARD}accessdb_v2"),
        "login": config_keys.get(client, owned.DASHBOARD),
    }
