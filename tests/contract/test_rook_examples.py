"""Rook's own manifests and CRD: whatever Rook's users have must be read here unchanged.

Nothing of Rook is copied into the project; the files are read from beside it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin

import pytest
import yaml

from orchestrator.model import manifest
from orchestrator.model.manifest import fields, parsing, validation
from orchestrator.model.spec import CephClusterSpec
from tests.contract.paths import ROOKS, ROOKS_CRD, beside_rooks

INT32 = 2**31

# Texts to try for a pattern of the CRD, in this order.
SAMPLES = ("a", "1", "daily", "/var/lib/rook", "192.0.2.0/24", "", "aes")


pytestmark = beside_rooks


@dataclass(frozen=True)
class Leaf:
    """One field of the CRD: its path, `*` for any key and `[]` for any element."""

    path: tuple[str, ...]
    schema: Mapping[str, Any]

    def __str__(self) -> str:
        return ".".join(self.path)


def spec_schema() -> Mapping[str, Any]:
    if not ROOKS_CRD.is_file():
        return {}
    documents = yaml.load_all(ROOKS_CRD.read_text(), Loader=yaml.CSafeLoader)
    crd = next(one for one in documents if one and one["kind"] == "CustomResourceDefinition")
    version = crd["spec"]["versions"][0]
    assert version["name"] == "v1"
    return version["schema"]["openAPIV3Schema"]["properties"]["spec"]


def children(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from schema.get("properties", {}).items()
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield "*", schema["additionalProperties"]
    if "items" in schema:
        yield "[]", schema["items"]


def leaves(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    below = list(children(schema))
    if not below and path:
        yield Leaf(path, schema)
    for name, child in below:
        yield from leaves(child, (*path, name))


def schema_at(path: tuple[str, ...]) -> Mapping[str, Any]:
    schema = SCHEMA
    for part in path:
        schema = dict(children(schema))[part]
    return schema


SCHEMA = spec_schema()
LEAVES = list(leaves(SCHEMA))
each_leaf = pytest.mark.parametrize("leaf", LEAVES, ids=str)


def sample(schema: Mapping[str, Any], name: str = "") -> object:
    """Make a value that the schema accepts."""
    if "enum" in schema:
        return next(value for value in schema["enum"] if value)
    if schema.get("type") == "object":
        required = schema.get("required", ())
        return {key: sample(schema["properties"][key]) for key in required}
    if schema.get("type") == "array":
        return (sample(schema["items"]),)
    simple = {"boolean": True, "integer": schema.get("minimum", 1), "number": 0.5}
    return simple.get(schema.get("type", ""), text_sample(schema, name))


def text_sample(schema: Mapping[str, Any], name: str) -> str:
    # Rook's Go types parse these further than the CRD does.
    if name in {"interval", "timeout"}:
        return "10s"
    pattern = re.compile(schema.get("pattern", ""))
    return next(text for text in SAMPLES if pattern.search(text))


def around(path: tuple[str, ...], value: object) -> object:
    """Put a value at a path, with what the objects on the way require."""
    for depth in range(len(path) - 1, -1, -1):
        part, parent = path[depth], path[:depth]
        if part == "[]":
            value = (value,)
        elif part == "*":
            value = {"OSD_DOWN" if "muteHealthWarning" in parent else "a": value}
        else:
            schema = schema_at(parent)
            others = (key for key in schema.get("required", ()) if key != part)
            value = {key: sample(schema["properties"][key]) for key in others} | {part: value}
    return value


def check(leaf: Leaf, value: object) -> validation.Checked[CephClusterSpec]:
    return validation.check(CephClusterSpec, around(leaf.path, value), ("spec",))


def model_paths(annotation: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Walk the models as the CRD is walked."""
    bare = fields._bare(annotation)
    if fields._is_model(bare):
        for name, child in fields._fields(bare):
            yield from model_paths(child, (*path, name))
    elif get_origin(bare) is Mapping:
        yield from model_paths(get_args(bare)[1], (*path, "*"))
    elif get_origin(bare) is tuple:
        yield from model_paths(get_args(bare)[0], (*path, "[]"))
    else:
        yield path


@pytest.mark.parametrize("path", sorted(ROOKS.glob("cluster*.yaml")), ids=lambda path: path.name)
def test_every_example_cluster_is_accepted(path):
    read = manifest.parse_manifest(path.read_text(), source=path.name)

    assert read.cluster.key.name
    assert not [warning for warning in read.warnings if "is not a field" in warning.message]


def test_the_stock_manifest_gives_one_warning_and_names_no_default():
    path = ROOKS / "cluster.yaml"
    (warning,) = manifest.parse_manifest(path.read_text(), source="cluster.yaml").warnings

    assert str(warning) == (
        "cluster.yaml:24: this release does not act on: spec.cephVersion.image, "
        "spec.disruptionManagement.managePodBudgets, "
        "spec.priorityClassNames, spec.security.cephx.csi.keyType"
    )


@each_leaf
def test_every_field_of_the_crd_is_known_and_takes_what_the_crd_takes(leaf):
    checked = check(leaf, sample(leaf.schema, leaf.path[-1]))

    assert (checked.unknown, checked.refused) == ((), ())


def test_the_models_have_the_fields_of_the_crd_and_no_others():
    assert set(model_paths(CephClusterSpec)) == {leaf.path for leaf in LEAVES}


@each_leaf
def test_every_field_refuses_another_type(leaf):
    wrong = "text" if leaf.schema.get("type") in {"object", "boolean", "integer"} else {"a": ()}
    (finding,) = check(leaf, wrong).refused

    assert finding.value == wrong
    assert finding.remedy


@each_leaf
def test_null_is_absent_everywhere(leaf):
    raw = parsing._without_nulls(around(leaf.path, None))
    refused = validation.check(CephClusterSpec, raw, ("spec",)).refused

    if leaf.path[-1] == "[]":
        assert len(refused) == 1, "an element of a list cannot be absent"
    elif leaf.path[-1] in schema_at(leaf.path[:-1]).get("required", ()):
        assert [finding.message for finding in refused] == ["is required"]
    else:
        assert not refused


def bounded(key: str) -> list[Leaf]:
    return [leaf for leaf in LEAVES if key in leaf.schema]


@pytest.mark.parametrize("leaf", bounded("minimum"), ids=str)
def test_every_minimum_of_the_crd_holds(leaf):
    (finding,) = check(leaf, leaf.schema["minimum"] - 1).refused

    assert finding.message == f"must be at least {leaf.schema['minimum']}"


@pytest.mark.parametrize("leaf", bounded("maximum"), ids=str)
def test_every_maximum_of_the_crd_holds(leaf):
    (finding,) = check(leaf, leaf.schema["maximum"] + 1).refused

    assert finding.message == f"must be at most {leaf.schema['maximum']}"


@pytest.mark.parametrize("leaf", bounded("format"), ids=str)
def test_every_number_keeps_its_width(leaf):
    width = INT32 if leaf.schema["format"] == "int32" else 2**63

    assert check(leaf, width).refused


@pytest.mark.parametrize("leaf", bounded("enum"), ids=str)
def test_every_enum_of_the_crd_holds(leaf):
    (finding,) = check(leaf, "no such choice").refused

    assert finding.message.startswith("must be one of")


@pytest.mark.parametrize("leaf", bounded("pattern"), ids=str)
def test_every_pattern_of_the_crd_holds(leaf):
    assert check(leaf, "!").refused


@pytest.mark.parametrize("leaf", bounded("maxLength"), ids=str)
def test_every_length_of_the_crd_holds(leaf):
    assert check(leaf, "a" * (leaf.schema["maxLength"] + 1)).refused
    assert check(leaf, "").refused
