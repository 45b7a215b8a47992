"""The CRD: current, no stricter than Rook's, and only what the oldest server of ours can read."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from orchestrator.model import outages
from orchestrator.model.crd import __main__ as printing
from orchestrator.model.crd import crd
from orchestrator.model.crd.status import Status
from orchestrator.model.facts import Outage
from tests.contract.paths import ROOKS_CRD, ROOT, beside_rooks

FILE = ROOT / "deploy" / "crds" / "cephclusters.ceph.rook.io.yaml"
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*/status.yaml"))


def schemas(schema: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every schema with its path."""
    yield path, schema
    for name, child in schema.get("properties", {}).items():
        yield from schemas(child, f"{path}.{name}".lstrip("."))
    if "items" in schema:
        yield from schemas(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield from schemas(schema["additionalProperties"], f"{path}.*")


def whole(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    return raw["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def part(raw: Mapping[str, Any], name: str) -> dict[str, Mapping[str, Any]]:
    return dict(schemas(whole(raw)["properties"][name]))


@pytest.fixture(scope="module")
def rooks() -> Mapping[str, Any]:
    documents = yaml.load_all(ROOKS_CRD.read_text(), Loader=yaml.CSafeLoader)
    return next(one for one in documents if one)


def test_the_committed_file_is_what_the_models_say():
    assert FILE.read_text() == printing.text(), "run `make crds`"


@beside_rooks
def test_names_columns_and_subresources_are_rooks(rooks):
    ours, theirs = crd(), rooks

    def columns(raw):
        found = raw["spec"]["versions"][0]["additionalPrinterColumns"]
        return [(one["name"], one["type"], one["jsonPath"]) for one in found]

    assert ours["metadata"]["name"] == theirs["metadata"]["name"]
    assert ours["spec"]["names"] == theirs["spec"]["names"]
    assert ours["spec"]["scope"] == theirs["spec"]["scope"]
    assert columns(ours) == columns(theirs)
    assert ours["spec"]["versions"][0]["subresources"] == {"status": {}}


@beside_rooks
@pytest.mark.parametrize("section", ["spec", "status"])
def test_every_field_of_rooks_crd_is_there_with_its_type(rooks, section):
    ours, theirs = part(crd(), section), part(rooks, section)

    assert theirs.keys() <= ours.keys()
    for path, schema in theirs.items():
        for key in ("type", "x-kubernetes-int-or-string"):
            assert ours[path].get(key) == schema.get(key), (path, key)


@beside_rooks
def test_unknown_fields_are_kept_where_rook_keeps_them(rooks):
    def opened(raw):
        found = part(raw, "spec").items()
        return {path for path, one in found if "x-kubernetes-preserve-unknown-fields" in one}

    assert opened(crd()) == opened(rooks)


@beside_rooks
def test_nothing_is_required_or_bounded_that_rook_leaves_open(rooks):
    ours, theirs = part(crd(), "spec"), part(rooks, "spec")
    for path, schema in ours.items():
        other = theirs[path]
        assert set(schema.get("required", ())) <= set(other.get("required", ())), path
        assert set(other.get("enum", ())) <= set(schema.get("enum", other.get("enum", ()))), path
        assert schema.get("nullable") or not other.get("nullable"), path
        for key in ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"):
            assert key not in schema or schema[key] == other.get(key), (path, key)
        assert "pattern" not in schema or "pattern" in other, path
        assert "format" not in schema or schema["format"] == other.get("format", "int64"), path


def test_servers_without_rules_in_cel_can_read_it():
    for path, schema in (*part(crd(), "spec").items(), *part(crd(), "status").items()):
        assert "x-kubernetes-validations" not in schema, path
        assert "default" not in schema, "a default would be a change of the spec by the server"
        assert "$ref" not in schema, path
        assert schema.get("type") or schema.get("x-kubernetes-int-or-string"), path


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_every_status_we_write_is_named_in_the_schema(path):
    written = yaml.safe_load(path.read_text())

    Status.model_validate(written, strict=False)


def test_what_the_status_keeps_of_mons_is_named_in_the_schema():
    now = datetime(2030, 1, 1, tzinfo=UTC)
    noted = outages.note({"c": Outage(since=now, seconds=0.0)}, now)

    Status.model_validate({"mon": noted}, strict=False)
