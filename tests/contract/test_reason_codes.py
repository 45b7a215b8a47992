"""docs/troubleshooting.md has a paragraph for every code of a reason or a device, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from orchestrator.conditions import Cause
from orchestrator.console import links
from orchestrator.console.explanations import explanations
from tests.contract.paths import ROOT

PAGE = ROOT / "docs" / "troubleshooting.md"
SOURCES = ROOT / "orchestrator"
CODE = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)*")
FIELDS = frozenset({"code", "refusal"})


def of_source() -> set[str]:
    return {code for path in SOURCES.rglob("*.py") for code in of_file(path)}


def of_file(path: Path) -> Iterator[str]:
    """Codes given by keyword or as a default; in a plan also as the first of code and reason."""
    planned = path.is_relative_to(SOURCES / "planning")
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.keyword(arg=name, value=value) if name in FIELDS:
                yield from constants(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if name in FIELDS and value:
                yield from constants(value)
            case ast.Tuple(elts=[first, _]) if planned:
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
    return re.findall(r"^### (.+)$", PAGE.read_text(), re.MULTILINE)


def test_the_page_explains_every_code_of_the_source_and_no_other() -> None:
    assert set(of_page()) == of_source()


def test_no_code_is_explained_twice() -> None:
    codes = of_page()
    assert len(codes) == len(set(codes))


def test_every_code_is_explained_in_words() -> None:
    parts = re.split(r"^#{2,3} .+$", PAGE.read_text(), flags=re.MULTILINE)
    titles = re.findall(r"^(#{2,3}) .+$", PAGE.read_text(), re.MULTILINE)
    explained = [text for title, text in zip(titles, parts[1:], strict=True) if title == "###"]
    assert len(explained) == len(of_page())
    assert all(len(text.split()) >= 3 for text in explained)


def test_the_search_finds_codes_in_every_form() -> None:
    everywhere = {"HostUnreachable", "HostnameMismatch", "NoDevices", "Mounted", "Unfinished"}
    assert everywhere <= of_source()


def test_operations_names_every_reason_of_the_condition_up_to_date() -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    (row,) = (line for line in page.splitlines() if line.startswith("| `UpToDate` |"))
    assert {one.strip() for one in row.split("|")[-2].split(",")} == set(Cause)


def told_in_conditions_and_events():
    """Reasons as `reason=…` of a condition, of Ceph's health, of UpToDate, and those of Events."""
    for name in ("status.py", "conditions.py", "controller/passes.py"):
        text = (SOURCES / name).read_text()
        yield from re.findall(r'reason="(\w+)"', text)
        yield from re.findall(r'"(Health[A-Z]\w+|NotAnswered|Reconcile[A-Z]\w+)"', text)
    yield from Cause


def test_the_page_has_an_anchor_for_every_reason_of_conditions_and_events():
    anchors = re.findall(r"^#### (\w+)$", PAGE.read_text(), re.MULTILINE)
    assert len(anchors) == len(set(anchors))
    assert set(anchors) == set(told_in_conditions_and_events())


def test_a_link_is_the_file_that_is_there(monkeypatch, tmp_path):
    monkeypatch.delenv(links.SITE, raising=False)
    monkeypatch.chdir(ROOT)
    assert links.help_link("NoQuorum") == "docs/troubleshooting.md#noquorum"
    monkeypatch.chdir(tmp_path)
    assert links.help_link("NoQuorum") == f"{PAGE.as_uri()}#noquorum"


def test_a_link_leads_to_the_site_that_somebody_serves(monkeypatch):
    monkeypatch.setenv(links.SITE, "https://docs.example/ceph")
    assert links.help_link("NoQuorum") == "https://docs.example/ceph/troubleshooting/#noquorum"


def test_every_code_has_an_explanation_to_show():
    found = explanations()
    assert of_source() <= set(found)
    assert "Devices" in found  # what `orchestrator devices` leads to
    assert found["NoQuorum"][-1].startswith("What to do: ")
