"""Which Ceph an image holds: asked once for each image, by a Job as Rook's.

Rook's rules say what is supported. An image that is not makes nothing: a cluster that was begun
with it could not be brought back to an older one.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.ansible.kubernetes.api import Api, Object
from orchestrator.model import ownership

NAME = "rook-ceph-detect-version"
OLDEST = (19, 2, 0)
NEWEST = 20
"""ROOK-COMPAT 0: 19 and 20 are supported, a newer one with allowUnsupported."""

SECONDS = 900.0
PAUSE_SECONDS = 0.5
PROGRAMS = ("ceph-crash", "ceph-exporter")
"""Programs beside the daemons' own that not every image has."""

_VERSION = re.compile(r"ceph version (\d+)\.(\d+)\.(\d+)")
_ASK = (
    "exec >/dev/termination-log 2>&1; ceph --version; "
    f"for one in {' '.join(PROGRAMS)}; do command -v $one >/dev/null && echo program $one; done; :"
)

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """What an image holds: its Ceph, like 20.2.4, and which of PROGRAMS; None where not known."""

    version: str = ""
    programs: tuple[str, ...] | None = None


def version_of(told: str) -> str:
    found = _VERSION.search(told)
    return ".".join(found.groups()) if found else ""


def _line(told: str) -> str:
    """What Ceph itself said, without what may stand before and the programs behind it."""
    return next((line for line in told.splitlines() if _VERSION.search(line)), told)


def programs_of(told: str) -> tuple[str, ...]:
    words = (line.split() for line in told.splitlines())
    return tuple(one[1] for one in words if one[:1] == ["program"] and one[1:2])


def trouble(told: str, image: str, *, allow_unsupported: bool) -> str:
    """Why an image may not be used, by what `ceph --version` says in it; "" when it may."""
    found = _VERSION.search(told)
    if found is None:
        return f"no version of Ceph can be read from the image {image}: {told[:200] or 'no answer'}"
    version = tuple(int(part) for part in found.groups())
    text = ".".join(map(str, version))
    if version < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return (
            f"the image {image} holds Ceph {text}, and {oldest} is the oldest that is supported; "
            "name a newer one in spec.cephVersion.image"
        )
    if version[0] > NEWEST and not allow_unsupported:
        return (
            f"the image {image} holds Ceph {text}, and {NEWEST} is the newest that is supported; "
            "name an older one in spec.cephVersion.image, or set spec.cephVersion.allowUnsupported"
        )
    return ""


def job(cluster: Raw) -> Object:
    """The Job that asks; its word is the pod's termination message."""
    metadata, spec = cluster["metadata"], cluster.get("spec") or {}
    version = spec.get("cephVersion") or {}
    labels = {"app": NAME, "rook_cluster": metadata["namespace"]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": NAME,
            "namespace": metadata["namespace"],
            "labels": labels,
            "ownerReferences": [ownership.reference(metadata)],
        },
        "spec": {
            "backoffLimit": 2,
            "activeDeadlineSeconds": int(SECONDS),
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": "rook-ceph-cmd-reporter",
                    **_placement(spec),
                    **_network(cluster),
                    "containers": [
                        {
                            "name": "cmd-reporter",
                            "image": str(version.get("image") or ""),
                            "imagePullPolicy": version.get("imagePullPolicy") or "IfNotPresent",
                            "command": ["sh", "-c", _ASK],
                            "resources": (spec.get("resources") or {}).get("cmd-reporter") or {},
                        }
                    ],
                },
            },
        },
    }


def _network(cluster: Raw) -> Object:
    """It speaks to nobody, so that only what is enforced for all pods counts."""
    if not (cluster.get("operator") or {}).get("hostNetwork"):
        return {}
    return {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}


def _placement(spec: Raw) -> Object:
    """That of the mons, which this asks for; it keeps no distance from other pods."""
    placement = spec.get("placement") or {}
    every, mon = placement.get("all") or {}, placement.get("mon") or {}
    affinity = mon.get("nodeAffinity") or every.get("nodeAffinity")
    tolerations = [*(every.get("tolerations") or []), *(mon.get("tolerations") or [])]
    return {
        **({"affinity": {"nodeAffinity": affinity}} if affinity else {}),
        **({"tolerations": tolerations} if tolerations else {}),
    }


class Detector:
    """Asks the images of one cluster, and remembers the last answer in Rook's ConfigMap.

    `begun` hears of it before an image is asked, which takes as long as the image takes to come.
    """

    def __init__(
        self,
        api: Callable[[], Api],
        cluster: Callable[[], Raw],
        canceled: Callable[[], bool],
        begun: Callable[[], None] = lambda: None,
    ) -> None:
        self._api, self._cluster, self._canceled, self._begun = api, cluster, canceled, begun

    def trouble(self) -> str:
        """Why the manifest's image may not be used; asks the image if nobody has yet."""
        version = self._wanted()
        image = str(version.get("image") or "")
        if not image:
            return "spec.cephVersion.image is empty; name an image of Ceph"
        known = self._remembered(image)
        told = str(known.get("stdout", "")) if "programs" in known else ""
        told = told or self._asked(image)
        return trouble(told, image, allow_unsupported=bool(version.get("allowUnsupported")))

    def found(self) -> Image:
        """What is known of the manifest's image, without asking it; nothing of a new one."""
        known = self._remembered(str(self._wanted().get("image") or ""))
        programs = known.get("programs")
        return Image(
            version=version_of(str(known.get("stdout", ""))),
            programs=None if programs is None else tuple(programs.split()),
        )

    def _wanted(self) -> Raw:
        return (self._cluster().get("spec") or {}).get("cephVersion") or {}

    def _remembered(self, image: str) -> Raw:
        """What was noted of this image, by Rook or by us; nothing of another."""
        known = (self._api().config_map(NAME) or {}).get("data") or {}
        return known if known.get("image") == image else {}

    def _asked(self, image: str) -> str:
        api, cluster = self._api(), self._cluster()
        self._begun()
        self._removed(api)
        try:
            api.create_job(job(cluster), SECONDS, self._canceled)
            told = self._answer(api)
        finally:
            self._removed(api)
        if _VERSION.search(told):
            self._remember(api, image, told)
        return told

    def _answer(self, api: Api) -> str:
        until, last = time.monotonic() + SECONDS, "its pod did not come up"
        while time.monotonic() < until and not self._canceled():
            for pod in api.pods(self._selector):
                told, ended = _words(pod)
                if ended:
                    return told
                last = told or last
            time.sleep(PAUSE_SECONDS)
        return last

    def _removed(self, api: Api) -> None:
        api.delete_job(NAME)
        for pod in api.pods(self._selector):
            api.delete_pod(pod["metadata"]["name"])

    @property
    def _selector(self) -> str:
        return f"app={NAME},rook_cluster={self._cluster()['metadata']['namespace']}"

    def _remember(self, api: Api, image: str, told: str) -> None:
        metadata = self._cluster()["metadata"]
        api.put_config_map(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": NAME,
                    "namespace": metadata["namespace"],
                    "labels": {"app": NAME},
                    "ownerReferences": [ownership.reference(metadata)],
                },
                "data": {
                    "image": image,
                    "stdout": _line(told),
                    "stderr": "",
                    "retcode": "0",
                    "programs": " ".join(programs_of(told)),
                },
            }
        )


def _words(pod: Raw) -> tuple[str, bool]:
    """What a pod told, and whether that is its last word."""
    for one in (pod.get("status") or {}).get("containerStatuses") or ():
        state = one.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if ended:
            return str(ended.get("message") or ended.get("reason") or ""), True
        return f"{waiting.get('reason', '')} {waiting.get('message', '')}".strip(), False
    return "", False
