"""The simulated mons' store: options, our record of them, mutes, and where modules serve."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, str]


@dataclass(slots=True)
class Store:
    """`secrets` are the inventory's; `started` are options as modules read them at their start."""

    config: dict[Key, str] = field(default_factory=dict)
    owned: dict[Key, str] = field(default_factory=dict)
    hidden: dict[Key, str] = field(default_factory=dict)
    mutes: set[str] = field(default_factory=set)
    full_ratios: dict[str, float] = field(
        default_factory=lambda: {"nearfull": 0.85, "backfillfull": 0.9, "full": 0.95}
    )
    owned_mutes: set[str] = field(default_factory=set)
    secrets: dict[str, dict[str, str]] = field(default_factory=dict)
    started: dict[str, dict[Key, str]] = field(default_factory=dict)

    def set(self, setting: Mapping[str, Any]) -> None:
        key = setting["section"], setting["name"]
        self.config[key] = setting["value"]
        if setting.get("owned", True):
            self.owned[key] = setting["value"]

    def set_secret(self, setting: Mapping[str, Any]) -> None:
        key = setting["section"], setting["name"]
        place = setting.get("secret")
        self.config[key] = self.secrets[place["name"]][place["key"]] if place else setting["value"]
        self.hidden[key] = digest(self.config[key])

    def remove(self, option: Mapping[str, str]) -> None:
        self.config.pop((option["section"], option["name"]), None)
        self.release(option)

    def release(self, option: Mapping[str, str]) -> None:
        for record in (self.owned, self.hidden):
            record.pop((option["section"], option["name"]), None)

    def mute(self, muted: Collection[str], unmuted: Collection[str]) -> None:
        self.owned_mutes |= set(muted) - self.mutes
        self.mutes = (self.mutes | set(muted)) - set(unmuted)
        self.owned_mutes -= set(unmuted)

    def restart(self, module: str) -> None:
        self.started[module] = dict(self.config)

    def services(self, modules: Collection[str]) -> dict[str, str]:
        ports = {"prometheus": "9283", "dashboard": "8443"}
        return {
            name: self._url(name, self.started.setdefault(name, dict(self.config)), port)
            for name, port in ports.items()
            if name in modules
        }

    def _url(self, module: str, read: Mapping[Key, str], port: str) -> str:
        def option(name: str, default: str) -> str:
            return read.get(("mgr", f"mgr/{module}/{name}"), default)

        ssl = module == "dashboard" and option("ssl", "true") == "true"
        found = option("ssl_server_port" if ssl else "server_port", port)
        prefix = option("url_prefix", "").strip("/")
        return f"{'https' if ssl else 'http'}://10.0.0.1:{found}/{prefix + '/' if prefix else ''}"

    def digest(self, place: Mapping[str, str]) -> str:
        return digest(self.secrets[place["name"]][place["key"]])

    def view(self) -> dict[str, Any]:
        return {
            "config": [
                {"section": section, "mask": "", "name": name, "value": self._shown(section, name)}
                for section, name in self.config
            ],
            "owned": {
                "settings": nested(self.owned),
                "secrets": nested(
                    {key: {"given": one, "stored": one} for key, one in self.hidden.items()}
                ),
                "mutes": sorted(self.owned_mutes),
            },
            "mutes": [{"code": code, "sticky": True} for code in sorted(self.mutes)],
            "full_ratios": dict(self.full_ratios),
        }

    def _shown(self, section: str, name: str) -> str:
        value = self.config[section, name]
        return digest(value) if (section, name) in self.hidden else value


def digest(value: str) -> str:
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"


def nested(flat: Mapping[Key, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for (section, name), value in flat.items():
        found.setdefault(section, {})[name] = value
    return found
