"""docs/operations.md explains every code that a reason or a device can have, and no other."""

import ast
import re
from collections.abc import Iterator

from tests.contract.paths import ROOT

PAGE = ROOT / "docs" / "operations.md"
CODE = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)*")
FIELDS = frozenset({"code", "refusal"})


def of_source() -> set[str]:
    sources = [*(ROOT / "orchestrator" / "planning").glob("*.py")]
    sources += [ROOT / "orchestrator" / "model" / "facts.py"]
    sources += [ROOT / "orchestrator" / "ansible" / "facts.py"]
    return {code for path in sources for code in found(ast.parse(path.read_text()))}


def found(tree: ast.Module) -> Iterator[str]:
    """Codes given by keyword, as a field's default, or as the first of a code and its reason."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=name, value=value) if name in FIELDS:
                yield from constants(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if name in FIELDS and value:
                yield from constants(value)
            case ast.Tuple(elts=[first, _]):
                yield from constants(first)


def constants(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*constants(body), *constants(orelse))
        case ast.Tuple(elts=[first, _]):
            yield from constants(first)
        case ast.Constant(value=str(text)) if CODE.fullmatch(text):
            yield text


def of_page() -> list[str]:
    rows = re.findall(r"^\| ([A-Z][A-Za-z, ]+) \|", PAGE.read_text(), re.MULTILINE)
    return [code for row in rows for code in row.split(", ")]


def test_the_page_explains_every_code_of_the_source_and_no_other() -> None:
    assert set(of_page()) == of_source()


def test_no_code_is_explained_twice_but_those_that_are_of_devices_and_of_plans() -> None:
    codes = of_page()
    assert len(codes) == len(set(codes))


def test_the_search_finds_codes_in_every_form() -> None:
    everywhere = {"HostUnreachable", "HostnameMismatch", "NoDevices", "Mounted", "Unfinished"}
    assert everywhere <= of_source()
