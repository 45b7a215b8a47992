"""Which fields this release acts on: tables, read by the warning and by the documents.

A field of Rook's schema that is set, differs from Rook's default and has no effect here is named,
never dropped in silence. A new feature adds its fields to `ACTED_ON`, or to what only one platform
has, and nothing else.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.model.manifest.problems import Path, path_text
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.base import Section
from orchestrator.model.spec.kube import KubeObject

# Of the `config` maps below storage: what each OSD gets, and what chooses devices.
_SETTINGS = (
    "databaseSizeMB",
    "deviceClass",
    "encryptedDevice",
    "initialWeight",
    "metadataDevice",
    "osdsPerDevice",
    "primaryAffinity",
)
_SELECTORS = ("limit", "model", "rotational", "size", "vendor")
# Kinds of pods that a section may speak of, and of all.
_PODS = ("all", "mon", "mgr", "osd")
_BESIDE = ("crashcollector", "exporter")
_JOBS = ("prepareosd", "cleanup")

# Paths below spec; `*` stands for any key of a map, `[]` for any element of a list.
ACTED_ON = frozenset(
    {
        "cephConfig.*.*",
        "cephConfigFromSecret.*.*",
        "cleanupPolicy.allowUninstallWithVolumes",
        "cleanupPolicy.confirmation",
        "cleanupPolicy.sanitizeDisks.dataSource",
        "cleanupPolicy.sanitizeDisks.iteration",
        "cleanupPolicy.sanitizeDisks.method",
        "continueUpgradeAfterChecksEvenIfNotHealthy",
        "crashCollector.daysToRetain",
        "crashCollector.disable",
        "dashboard.enabled",
        "dashboard.port",
        "dashboard.prometheusEndpoint",
        "dashboard.prometheusEndpointSSLVerify",
        "dashboard.ssl",
        "dashboard.urlPrefix",
        "disruptionManagement.pgHealthyRegex",
        "healthCheck.muteHealthWarning.*.policy",
        *(f"labels.{kind}.*" for kind in _PODS),  # what affinities between daemons select by
        "logCollector.enabled",
        "logCollector.maxLogSize",
        "logCollector.periodicity",
        "healthCheck.daemonHealth.mon.disabled",
        "healthCheck.daemonHealth.mon.timeout",
        "mgr.allowMultiplePerNode",
        "mgr.count",
        "mgr.modules[].enabled",
        "mgr.modules[].name",
        "mgr.modules[].settings.balancerMode",
        "mon.allowMultiplePerNode",
        "mon.count",
        "monitoring.interval",
        "monitoring.metricsDisabled",
        "monitoring.port",
        "network.addressRanges.cluster",
        "network.addressRanges.public",
        *(f"placement.{kind}" for kind in ("all", "mon", "mgr", "osd", "prepareosd")),
        *(f"resources.{kind}" for kind in ("mon", "mgr", "osd", "osd-hdd", "osd-ssd", "osd-nvme")),
        "resources.crashcollector",
        "resources.logcollector",
        "network.connections.compression.enabled",
        "network.connections.encryption.enabled",
        "network.connections.requireMsgr2",
        "network.dualStack",
        "network.ipFamily",
        "skipUpgradeChecks",
        "storage.config.crushRoot",
        "storage.allowDeviceClassUpdate",
        "storage.allowOsdCrushWeightUpdate",
        "storage.backfillFullRatio",
        "storage.deviceFilter",
        "storage.devicePathFilter",
        "storage.devices[].fullpath",
        "storage.devices[].name",
        "storage.fullRatio",
        "storage.nearFullRatio",
        "storage.nodes[].deviceFilter",
        "storage.nodes[].devicePathFilter",
        "storage.nodes[].devices[].fullpath",
        "storage.nodes[].devices[].name",
        "storage.nodes[].name",
        "storage.nodes[].resources",
        "storage.nodes[].useAllDevices",
        "storage.onlyApplyOSDPlacement",
        "storage.osdMaxUpdatesInParallel",
        "storage.scheduleAlways",
        "storage.useAllDevices",
        "storage.useAllNodes",
        "upgradeOSDRequiresHealthyPGs",
        "waitTimeoutForHealthyOSDInMinutes",
        *(
            f"storage.{level}config.{key}"
            for level in ("", "nodes[].", "devices[].", "nodes[].devices[].")
            for key in _SETTINGS
        ),
        *(f"storage.{level}config.{key}" for level in ("", "nodes[].") for key in _SELECTORS),
    }
)

# What shapes pods, and hosts have no use for.
_IN_PODS = frozenset(
    {
        *(f"annotations.{kind}.*" for kind in (*_PODS, *_BESIDE, *_JOBS)),
        "cephVersion.allowUnsupported",
        "cephVersion.image",
        "cephVersion.imagePullPolicy",
        "csi.cephfs.fuseMountOptions",
        "csi.cephfs.kernelMountOptions",
        "csi.readAffinity.crushLocationLabels",
        "csi.readAffinity.enabled",
        "csi.skipUserCreation",
        "dataDirHostPath",
        "disruptionManagement.managePodBudgets",
        "disruptionManagement.osdMaintenanceTimeout",
        "disruptionManagement.pgHealthCheckTimeout",
        "external.enable",
        *(
            f"healthCheck.daemonHealth.{kind}.{name}"
            for kind in ("mon", "osd", "status")
            for name in ("disabled", "interval")
        ),
        *(f"healthCheck.{probe}.*.disabled" for probe in ("livenessProbe", "startupProbe")),
        *(f"healthCheck.{probe}.*.probe" for probe in ("livenessProbe", "startupProbe")),
        *(f"labels.{kind}.*" for kind in (*_BESIDE, *_JOBS, "monitoring")),
        "mgr.hostNetwork",
        "monitoring.enabled",
        "monitoring.exporter.hostNetwork",
        "monitoring.exporter.perfCountersPrioLimit",
        "monitoring.exporter.port",
        "monitoring.externalMgrEndpoints[]",
        "monitoring.externalMgrPrometheusPort",
        "monitoring.exporter.statsPeriodSeconds",
        "network.hostNetwork",
        "network.provider",
        *(f"placement.{kind}" for kind in (*_BESIDE, "cleanup")),
        *(f"priorityClassNames.{kind}" for kind in (*_PODS, *_BESIDE, *_JOBS)),
        *(
            f"resources.{kind}"
            for kind in ("cleanup", "cmd-reporter", "exporter", "mgr-sidecar", "prepareosd")
        ),
        "removeOSDsIfOutAndSafeToRemove",
        "storage.flappingRestartIntervalHours",
    }
)


class Platform(StrEnum):
    """Where daemons run."""

    HOSTS = "hosts"
    KUBERNETES = "Kubernetes"


EFFECTS: Mapping[Platform, frozenset[str]] = {
    Platform.HOSTS: ACTED_ON,
    Platform.KUBERNETES: ACTED_ON | _IN_PODS,
}
"""What is acted on, by platform."""

# Values that ask for what bare hosts give anyway.
SATISFIED: Mapping[str, object] = {
    "dataDirHostPath": "/var/lib/rook",
    "mgr.hostNetwork": True,
    "monitoring.exporter.hostNetwork": True,
    "network.hostNetwork": True,
    "network.provider": "host",
}
GIVEN: Mapping[Platform, Mapping[str, object]] = {
    Platform.HOSTS: SATISFIED,
    Platform.KUBERNETES: {},
}
"""Values that a platform gives anyway."""


def unsupported(spec: CephClusterSpec, platform: Platform = Platform.HOSTS) -> tuple[Path, ...]:
    """Name the fields below spec that are set and have no effect, in the order of the schema."""
    return tuple(_Search(EFFECTS[platform], GIVEN[platform]).section((), "", spec))


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for what is set and neither acted on nor given anyway."""

    acted_on: frozenset[str]
    given: Mapping[str, object]

    def section(self, path: Path, pattern: str, section: Section) -> Iterator[Path]:
        for name, info in type(section).model_fields.items():
            value = getattr(section, name)
            alias = info.alias or name
            if value != info.get_default(call_default_factory=True) and not _empty(value):
                yield from self._value((*path, alias), f"{pattern}.{alias}".lstrip("."), value)

    def _value(self, path: Path, pattern: str, value: object) -> Iterator[Path]:
        if pattern in self.acted_on or self.given.get(pattern) == value:
            return
        match value:
            case KubeObject():
                yield path
            case Section():
                yield from self.section(path, pattern, value)
            case Mapping() if self._acted_below(pattern + "."):
                for key, item in value.items():
                    yield from self._value((*path, key), self._key_pattern(pattern, key), item)
            case tuple() if self._acted_below(pattern + "["):
                for index, item in enumerate(value):
                    yield from self._value((*path, index), f"{pattern}[]", item)
            case _:
                yield path

    def _key_pattern(self, pattern: str, key: str) -> str:
        """Name the key as the table does: by itself, or as any key."""
        exact = f"{pattern}.{key}"
        known = any(one == exact or one.startswith(f"{exact}.") for one in self.acted_on)
        return exact if known else f"{pattern}.*"

    def _acted_below(self, prefix: str) -> bool:
        return any(acted.startswith(prefix) for acted in self.acted_on)


def _empty(value: object) -> bool:
    """Tell whether a value says nothing, as Go's empty values do."""
    match value:
        case "":
            return True
        case Section():
            return not any(True for _ in _set_fields(value))
        case Mapping():
            return all(_empty(item) for item in value.values())
        case tuple():
            return not value
        case _:
            return False


def _set_fields(section: Section) -> Iterator[str]:
    for name, info in type(section).model_fields.items():
        value = getattr(section, name)
        if value != info.get_default(call_default_factory=True) and not _empty(value):
            yield name


def sentence(paths: tuple[Path, ...]) -> str:
    """Name the fields once each, whatever number of list entries hold them."""
    texts = (re.sub(r"\[\d+\]", "[]", path_text(("spec", *path))) for path in paths)
    return f"this release does not act on: {', '.join(dict.fromkeys(texts))}"
