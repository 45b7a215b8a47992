"""From a pydantic model to a structural schema, the only kind that a CRD may have.

It is written out in full, without references, and holds nothing that Kubernetes 1.20 lacks (no
rules in CEL): the rules that need more than one field are the operator's, which says in the status
what a server would only refuse.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

OPEN = frozenset(
    {
        "annotations",
        "external",
        "labels",
        "mon.stretchCluster.zones[].volumeClaimTemplate",
        "mon.volumeClaimTemplate",
        "mon.zones[].volumeClaimTemplate",
        "network",
        "placement",
        "priorityClassNames",
        "resources",
        "security.kms.connectionDetails",
        "storage.config",
        "storage.devices",
        "storage.devices[].config",
        "storage.nodes[].config",
        "storage.nodes[].devices",
        "storage.nodes[].devices[].config",
        "storage.nodes[].resources",
        "storage.storageClassDeviceSets[].config",
        "storage.storageClassDeviceSets[].placement",
        "storage.storageClassDeviceSets[].preparePlacement",
        "storage.storageClassDeviceSets[].resources",
        "storage.storageClassDeviceSets[].volumeClaimTemplates[].metadata.annotations",
    }
)
"""Where Rook's CRD keeps fields it does not know, below spec: objects in use may hold some there.

Elsewhere the server drops them, as it does with Rook's CRD.
"""

OPEN_STATUS = frozenset({"", "ceph", "storage"})
"""A newer operator may write more than an older CRD names."""

_FORMATS = {(-(2**31), 2**31 - 1): "int32", (-(2**63), 2**63 - 1): "int64"}
_KEPT = (
    "description",
    "type",
    "format",
    "anyOf",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
)


def schema(model: type[BaseModel], opened: Collection[str]) -> dict[str, Any]:
    """Return the schema of a model; `opened` names the objects that keep unknown fields."""
    raw = model.model_json_schema(by_alias=True)
    return _Writer(raw.get("$defs", {}), opened).write(raw, "")


class _Writer:
    def __init__(self, definitions: Mapping[str, Any], opened: Collection[str]) -> None:
        self._definitions = definitions
        self._opened = opened

    def write(self, raw: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Write the schema at a path; `[]` stands for any element, `*` for any key."""
        raw = self._resolved(raw)
        written = _bounded({key: raw[key] for key in _KEPT if key in raw})
        if "properties" in raw:
            written |= self._fields(raw, path)
        if "items" in raw:
            written["items"] = self.write(raw["items"], f"{path}[]")
        for values in _values(raw):
            written["additionalProperties"] = self.write(values, f"{path}.*")
        if path in self._opened:
            written["x-kubernetes-preserve-unknown-fields"] = True
        return written

    def _fields(self, raw: Mapping[str, Any], path: str) -> dict[str, Any]:
        required = [name for name in raw["properties"] if name in raw.get("required", ())]
        fields = {}
        for name, child in sorted(raw["properties"].items()):
            written = self.write(child, f"{path}.{name}".lstrip("."))
            fields[name] = written if name in required else _nullable(written)
        return {**({"required": required} if required else {}), "properties": fields}

    def _resolved(self, raw: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow a reference, and take the one choice that is not null."""
        choices = [one for one in raw.get("anyOf", ()) if one.get("type") != "null"]
        if len(choices) == 1:
            return self._resolved({**raw, **choices[0], "anyOf": ()})
        if "$ref" in raw:
            name = raw["$ref"].rpartition("/")[2]
            # The words about a class are for those who read the code.
            described = {key: raw[key] for key in ("description",) if key in raw}
            whole = {key: v for key, v in self._definitions[name].items() if key != "description"}
            return self._resolved({**whole, **described})
        return raw


def _values(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a map holds; a structural schema cannot say how its keys look."""
    if isinstance(raw.get("additionalProperties"), Mapping):
        yield raw["additionalProperties"]
    yield from raw.get("patternProperties", {}).values()


def _bounded(written: dict[str, Any]) -> dict[str, Any]:
    """Say the width of a number by its format; only narrower bounds are written as bounds."""
    written = {key: value for key, value in written.items() if value != ()}
    if written.get("type") != "integer":
        return written
    for (low, high), name in _FORMATS.items():
        if written.get("minimum", low) >= low and written.get("maximum") == high:
            written |= {"format": name}
            del written["maximum"]
    if written.get("minimum") in {low for low, _ in _FORMATS}:
        del written["minimum"]
    if written.get("maximum", 0) > 2**31 - 1:
        written |= {"format": "int64"}
    return written


def _nullable(written: dict[str, Any]) -> dict[str, Any]:
    """Null is the same as absent everywhere, as it is in manifests read from a file.

    It is no choice of an enum all the same: kubectl does not apply a CRD that holds null.
    """
    return {**written, "nullable": True}
