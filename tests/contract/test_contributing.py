"""What contributors are told is what the repository does."""

import re
from typing import Any

import pytest
import yaml

from tests.contract.paths import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def hooks() -> dict[str, dict[str, Any]]:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    return {hook["id"]: hook for repo in config["repos"] for hook in repo["hooks"]}


def test_a_commit_runs_the_checks_of_make_lint() -> None:
    (linters,) = re.findall(r"^LINTERS := (.*)$", MAKEFILE, re.MULTILINE)
    assert {name: hook["entry"] for name, hook in hooks().items()} == {
        name: f"make lint-{name}" for name in linters.split()
    }


def test_hooks_fetch_nothing() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    assert {hook["language"] for hook in hooks().values()} == {"system"}


def test_every_target_that_a_contributor_is_told_of_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    texts = [ROOT / "CONTRIBUTING.md", ROOT / ".github" / "pull_request_template.md"]
    told = {name for path in texts for name in re.findall(r"\bmake ([a-z-]+)", path.read_text())}
    assert "test-fast" in told
    assert told <= targets


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_is_one(path: Any) -> None:
    form = yaml.safe_load(path.read_text())
    if path.name == "config.yml":
        assert form == {"blank_issues_enabled": True}
        return
    assert form["name"]
    assert form["description"]
    ids = [one["id"] for one in form["body"] if one["type"] != "markdown"]
    assert len(ids) == len(set(ids)) > 0
    assert all(one["attributes"].get("label") for one in form["body"] if one["type"] != "markdown")


@pytest.mark.parametrize("name", ["SECURITY.md", "CONTRIBUTING.md", "README.md"])
def test_links_of_the_first_pages_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text()
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert not [link for link in links if not (ROOT / link).exists()]
