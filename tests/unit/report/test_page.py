"""The page as a parser reads it: whole, escaped, alone, and to be read by anybody."""

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from orchestrator.report import page as pages
from orchestrator.report import tasks
from tests.fakes import reports

MADE = datetime(2030, 1, 2, 4, tzinfo=UTC)
NAMES = ["store-1", "store-2"]
VOID = {"meta", "rect"}
CSS = (Path(pages.__file__).parent / "page.css").read_text()


class Page(HTMLParser):
    """Elements with their attributes, text by element, and what was closed wrongly."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open, self.crossed = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.crossed.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    def named(self, *tags):
        return [attrs for tag, attrs in self.elements if tag in tags]


def made(tmp_path, names=NAMES, word="plain", record=None, status=None):
    record = record or reports.full(names, word)
    for run in record.runs:
        reports.write_events(tmp_path, run.run, reports.events(names, word))
    found = {run.run: tasks.read(tmp_path, run.run, run.playbook) for run in record.runs}
    status = reports.status(names, word) if status is None else status
    return pages.page(record, found, status, MADE)


def contrast(one, other):
    """The ratio of WCAG 2 for two colours like #0a0b0c."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    digits = colour.removeprefix("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    parts = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_every_section_tells_what_is_known(tmp_path):
    text = " ".join(Page(made(tmp_path)).texts)

    for words in (
        "rook-ceph/test",
        "failed",
        "1 min 00 s",
        "why plain",
        "left plain",
        "blocked plain",
        "noted plain",
        "failed plain",
        "Task 2 plain",
        "mon.plain",
        "running, in quorum",
        "not reached plain",
        "it holds an ext4 filesystem plain",
        "4.0 TiB",
        "1 osd, 0 selected, 2 skipped",
        "condition plain",
        "OSD_DOWN plain",
        "HEALTH_WARN",
        "Tasks changed something on store-1, store-2.",
    ):
        assert words in text, words


def test_hostile_names_stay_text(tmp_path):
    plain = Page(made(tmp_path / "plain"))
    names = [f"store-1{reports.HOSTILE}", "store-2"]
    hostile = Page(made(tmp_path / "hostile", names, reports.HOSTILE))

    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    assert [set(attrs) for _, attrs in hostile.elements] == [
        set(attrs) for _, attrs in plain.elements
    ]
    shown = " ".join(hostile.texts)
    assert shown.count("<script>document.title='owned'</script>") > 20
    assert "{{ 7*7 }}" in shown
    assert "\\u202egnp.exe" in shown


def test_the_page_is_well_formed(tmp_path):
    found = Page(made(tmp_path))

    assert (found.open, found.crossed) == ([], [])
    assert made(tmp_path / "again").startswith("<!DOCTYPE html>")


def test_nothing_is_fetched_and_nothing_runs(tmp_path):
    text = made(tmp_path)
    found = Page(text)

    assert not found.named("script", "link", "img", "iframe", "object", "embed", "base", "form")
    attributes = [(name, value) for _, attrs in found.elements for name, value in attrs.items()]
    assert not [name for name, _ in attributes if name.startswith("on") or name == "src"]
    hrefs = [value for name, value in attributes if name == "href"]
    assert all(value.startswith("#") for value in hrefs)
    assert not re.search(r"https?://|//\w|@import|url\(|javascript:", text)
    policies = [one["content"] for one in found.named("meta") if "http-equiv" in one]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_no_key_reaches_the_page(tmp_path):
    text = made(tmp_path, word=f"key = {reports.KEY}")

    assert "a result that is not for the page" not in text
    assert reports.KEY not in text
    assert "********" in text


def test_who_cannot_see_it_is_told_the_same(tmp_path):
    found = Page(made(tmp_path))

    assert found.named("html") == [{"lang": "en"}]
    headings = [int(tag[1]) for tag, _ in found.elements if re.fullmatch(r"h\d", tag)]
    assert headings[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(headings))
    assert len(found.named("table")) == len(found.named("caption"))
    assert all(one["scope"] == "col" for one in found.named("th"))
    assert all(one.get("aria-label") or one.get("aria-hidden") for one in found.named("svg"))
    ids = [attrs["id"] for _, attrs in found.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = {one["href"] for one in found.named("a")}
    assert {one.removeprefix("#") for one in links if one.startswith("#")} == set(ids)


def test_codes_lead_to_what_explains_them_on_the_page_itself(tmp_path):
    found = Page(made(tmp_path))

    assert {one["href"] for one in found.named("a") if one["href"].startswith("#code-")} == {
        "#code-devicesskipped",
        "#code-filesystem",
        "#code-nodevices",
    }
    assert any("It holds a file system" in text for text in found.texts)
    assert not [text for text in found.texts if "**" in text or "`" in text]


def test_a_code_that_nobody_explains_is_told_without_a_link(tmp_path):
    record = reports.full(NAMES)
    other = replace(record.blocked[0], code="OfALaterRelease")
    found = Page(made(tmp_path, record=replace(record, blocked=(other,))))

    assert "OfALaterRelease" in {text.strip() for text in found.texts}
    assert "#code-ofalaterrelease" not in {one["href"] for one in found.named("a")}


def test_every_cell_names_its_column(tmp_path):
    """A narrow page shows these names instead of the table's head."""
    found = Page(made(tmp_path))

    assert all(one["data-label"] for one in found.named("td"))


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_texts_and_bars_can_be_told_from_the_ground(scheme):
    sets = [
        dict(re.findall(r"--([\w-]+): (#\w+)", one)) for one in re.findall(r":root \{[^}]*", CSS)
    ]
    colours = dict(zip(("light", "dark", "print"), sets, strict=True))[scheme]

    for ground in (colours["ground"], colours["card"]):
        for name in ("text", "soft", "good", "warn", "bad", "link"):
            assert contrast(colours[name], ground) >= 4.5, name
        for name in ("bar-ok", "bar-changed", "bar-bad", "bar-run"):
            assert contrast(colours[name], ground) >= 3.0, name


def test_a_run_that_found_nothing_to_do_says_so(tmp_path):
    text = " ".join(Page(made(tmp_path, record=reports.record(), status={})).texts)

    assert "Nothing was planned" in text
    assert "was killed: the next run goes on from here" in text
    assert "No host was looked at." in text
    assert "No task is known of this run." in text
    assert "The status has no condition yet." in text
    assert "Needs attention" not in text


def test_a_large_cluster_stays_a_page(tmp_path):
    names = [f"store-{number}" for number in range(200)]
    found = Page(made(tmp_path, names))

    lanes = [one for one in found.named("svg") if " task" in one.get("aria-label", "")]
    assert len(lanes) == 60
    assert "140 more hosts worked less long and are not drawn." in " ".join(found.texts)


def test_a_run_that_goes_on_is_told_from_one_that_was_killed():
    assert "still goes on" in pages.page(reports.record(), {}, {}, MADE, running=True)
    assert "still goes on" not in pages.page(reports.full(NAMES), {}, {}, MADE, running=True)
    assert "No playbook ran." in pages.page(reports.record(), {}, {}, MADE)
