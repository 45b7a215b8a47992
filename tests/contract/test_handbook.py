"""Pages that are made from the sources are current, and the site needs nothing from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest
import yaml

from handbook import commands, decisions, diagram, fields, pages
from orchestrator.model.manifest.support import EFFECTS, GIVEN, Platform
from orchestrator.model.spec import CephClusterSpec
from tests.contract.paths import ROOT

DOCS = ROOT / "docs"
MADE = pages.made()
FIELDS = {one.path: one for one in fields.fields(CephClusterSpec)}


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_made_page_is_what_the_sources_say(name: str) -> None:
    assert (DOCS / name).read_text() == MADE[name], "run `make reference`"


def on(platform: Platform, path: str) -> fields.Effect:
    return FIELDS[path].effects[platform]


def test_fields_have_the_types_defaults_and_effects_of_the_models() -> None:
    hosts, pods = Platform.HOSTS, Platform.KUBERNETES
    count, mode = FIELDS["mon.count"], FIELDS["mgr.modules[].settings.balancerMode"]
    assert (count.type, count.default) == ("integer, 0 to 9", "3")
    assert mode.type == "`crush-compat` or `upmap` or `read` or `upmap-read`"
    assert FIELDS["network.addressRanges.public"].type == "list of string"
    assert FIELDS["storage.storageClassDeviceSets[].count"].default == "required"
    assert on(hosts, "mon.count") == on(pods, "mon.count") == fields.Effect(acted_on=True)
    assert on(hosts, "mgr.hostNetwork") == fields.Effect(acted_on=False, given="true")
    assert on(hosts, "cephVersion.image") == fields.Effect(acted_on=False)
    assert on(pods, "cephVersion.image") == fields.Effect(acted_on=True)
    assert on(hosts, "placement").keys == ("all", "mgr", "mon", "osd", "prepareosd")
    assert on(hosts, "labels").keys == ("all", "mgr", "mon", "osd")
    assert on(hosts, "annotations") == fields.Effect(acted_on=False)
    kinds = (
        "all",
        "cleanup",
        "crashcollector",
        "exporter",
        "mgr",
        "mon",
        "monitoring",
        "osd",
        "prepareosd",
    )
    assert on(pods, "labels").keys == kinds
    assert on(hosts, "cephConfig").acted_on


@pytest.mark.parametrize("platform", Platform)
def test_every_field_with_an_effect_is_shown_with_it(platform: Platform) -> None:
    found = {path: one.effects[platform] for path, one in FIELDS.items()}
    shown = {path for path, one in found.items() if one.acted_on}
    shown |= {f"{path}.{key}" for path, one in found.items() for key in one.keys}
    bare = {path.removesuffix(".*").removesuffix(".*") for path in EFFECTS[platform]}
    assert bare == shown
    assert set(GIVEN[platform]) == {path for path, one in found.items() if one.given}


def test_a_command_is_shown_with_its_options_and_their_defaults() -> None:
    @click.group()
    def group() -> None: ...

    @group.command()
    @click.option("-n", "--number", type=click.IntRange(1, 9), default=3, show_default=True)
    @click.option("--form", type=click.Choice(["a", "b"]), help="Which | form.")
    @click.option("--secret", hidden=True)
    def work(**_: object) -> None:
        """Do it.

        With two
        paragraphs.
        """

    page = commands.page(group)
    assert "| [`work`](#orchestrator-work) | Do it. |" in page
    assert "With two paragraphs.\n" in page
    assert "| `-n`, `--number` *integer* | [default: 3; 1<=x<=9] |" in page
    assert "| `--form` `a` or `b` | Which \\| form. |" in page
    assert "secret" not in page


def test_a_decision_has_the_number_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "0007-x.md").write_text("# 8. Wrong\n")
    with pytest.raises(ValueError, match=r"0007-x\.md: the first line is"):
        decisions.page(tmp_path)


def test_a_diagram_has_its_boxes_arrows_and_words(tmp_path: Path) -> None:
    described = {
        "title": "Two",
        "boxes": {
            "a": {"at": [0, 0], "kind": "pure", "text": ["A <b>", "below"]},
            "b": {"at": [1, 0], "kind": "value", "text": ["B"]},
        },
        "arrows": [{"from": "a", "to": "b", "text": "then"}],
        "legend": {"pure": "pure"},
    }
    (tmp_path / "two.yaml").write_text(yaml.safe_dump(described))

    drawn = diagram.drawn(tmp_path / "two.yaml")
    assert re.findall(r"<text[^>]*>([^<]*)<", drawn) == [
        "then",
        "A &lt;b&gt;",
        "below",
        "B",
        "pure",
    ]
    assert re.findall(r'points="([^"]*)"', drawn) == ["220,67 244,67"]


def test_words_of_the_diagram_fit_into_their_boxes() -> None:
    described = yaml.safe_load((DOCS / "images" / "pass.yaml").read_text())
    words = [line for box in described["boxes"].values() for line in box["text"]]
    assert max(map(len, words)) * 7 < diagram.BOX[0]


class Loads(HTMLParser):
    """What a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "link" and given.get("rel") not in {"canonical", "prev", "next"}:
            self.found.append(given.get("href") or "")
        elif tag != "a" and given.get("src"):
            self.found.append(given["src"] or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built as strictly as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    found = sorted(site.rglob("*.html"))
    assert len(found) > len(list(DOCS.glob("*.md")))
    for path in found:
        loads = Loads()
        loads.feed(path.read_text())
        assert loads.found
        assert not [one for one in loads.found if "//" in one], path


def test_the_site_has_the_anchors_that_commands_link_to(site: Path) -> None:
    page = (site / "troubleshooting" / "index.html").read_text()
    codes = re.findall(r"^### (.+)$", (DOCS / "troubleshooting.md").read_text(), re.MULTILINE)
    assert len(codes) > 70
    assert {code.lower() for code in codes} | {"devices"} <= set(re.findall(r'id="([^"]+)"', page))


def test_every_page_can_be_reached() -> None:
    config = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader=yaml.CSafeLoader)
    named = set(re.findall(r"[\w/-]+\.md", str(config["nav"])))
    assert named == {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")} - {
        str(path.relative_to(DOCS)) for path in (DOCS / "decisions").glob("0*.md")
    }
