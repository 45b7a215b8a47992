"""The report as a real browser shows it: on a desk, on a phone, in the dark and on paper.

A page beside the report shows it in a frame of a phone's width and writes down what it measures;
Chromium prints that page's document and ends.
"""

import html
import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from orchestrator.report import tasks
from orchestrator.report.page import page
from tests.fakes import reports

pytestmark = pytest.mark.timeout(120)

NAMES = [f"store-{number}.a-rather-long-domain.example" for number in range(3)]

PROBE = """\
<!DOCTYPE html><title>probe</title><body style="margin:0"><script>
const measures = {MEASURES};
const frames = {FRAMES};
const found = {};
for (const [name, [file, width]] of Object.entries(frames)) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:2000px;border:0`;
  frame.src = file;
  frame.onload = () => {
    found[name] = measures(frame.contentWindow, frame.contentDocument);
    if (Object.keys(found).length === Object.keys(frames).length) {
      const out = document.createElement("pre");
      out.id = "measured";
      out.textContent = JSON.stringify(found);
      document.body.append(out);
    }
  };
  document.body.append(frame);
}
</script>
"""

MEASURES = """\
(view, page) => {
  const style = (one, what) => view.getComputedStyle(one)[what];
  const shown = one => one.checkVisibility() && one.getClientRects().length > 0;
  const width = page.documentElement.clientWidth;
  const boxes = [...page.querySelectorAll("body *")].filter(shown);
  const own = one => [...one.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const texts = boxes.filter(own);
  return {
    width,
    overflow: page.documentElement.scrollWidth - width,
    outside: boxes.filter(one => one.getBoundingClientRect().right > width + 1).map(
      one => one.outerHTML.slice(0, 80)),
    squeezed: texts.filter(one => !one.closest("svg, thead")
      && one.getBoundingClientRect().width < 24 && one.textContent.trim().length > 6
    ).map(one => one.outerHTML.slice(0, 80)),
    smallest: Math.min(...texts.map(one => parseFloat(style(one, "fontSize")))),
    ground: style(page.body, "backgroundColor"),
    text: style(page.body, "color"),
    stacked: style(page.querySelector("td"), "display"),
    split: [...page.querySelectorAll("td")].filter(
      one => [...one.childNodes].filter(n => n.nodeType === 1 || n.data.trim()).length > 1
    ).map(one => one.outerHTML.slice(0, 80)),
    label: view.getComputedStyle(page.querySelector("td"), "::before").content,
    bars: [...page.querySelectorAll(".lanes svg rect")].filter(
      one => one.getBoundingClientRect().width < 0.4).length,
    barred: page.querySelectorAll(".lanes svg rect").length,
    scripts: page.scripts.length,
    images: page.images.length,
    title: page.title,
    words: page.body.innerText,
  };
}
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Runs Chromium on a file and gives what it printed."""
    program = shutil.which("chromium")
    assert program, "chromium is missing; `make test-fast` installs it"
    profile = tmp_path_factory.mktemp("profile")

    def run(path: Path, *options: str) -> str:
        plain = ("--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files")
        done = subprocess.run(
            [program, *plain, f"--user-data-dir={profile}", *options, path.as_uri()],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout

    return run


@pytest.fixture(scope="module")
def measured(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One look with light and one with dark colours, each at several widths."""
    home = tmp_path_factory.mktemp("report")
    written(home, "plain", NAMES, "plain")
    hostile = [f"{NAMES[0]}{reports.HOSTILE}", NAMES[1]]
    written(home, "hostile", hostile, reports.HOSTILE)
    frames = {
        "desk": ["plain.html", 1280],
        "phone": ["plain.html", 360],
        "small phone, hostile": ["hostile.html", 320],
    }
    probe = PROBE.replace("{MEASURES}", MEASURES).replace("{FRAMES}", json.dumps(frames))
    (home / "probe.html").write_text(probe)
    light = look(browser, home / "probe.html", "--blink-settings=preferredColorScheme=1")
    dark = look(browser, home / "probe.html", "--blink-settings=preferredColorScheme=0")
    return {**light, "dark": dark["desk"]}


def written(home: Path, file: str, names: list[str], word: str) -> None:
    record = reports.full(names, word)
    artifacts = home / f"{file}-runs"
    for run in record.runs:
        reports.write_events(artifacts, run.run, reports.events(names, word))
    found = {run.run: tasks.read(artifacts, run.run, run.playbook) for run in record.runs}
    made = datetime(2030, 1, 2, 4, tzinfo=UTC)
    text = page(record, found, reports.status(names, word), made)
    (home / f"{file}.html").write_text(text, encoding="utf-8")


def look(browser: Any, path: Path, *options: str) -> dict[str, Any]:
    printed = browser(path, "--dump-dom", "--virtual-time-budget=10000", *options)
    (found,) = re.findall(r'<pre id="measured">(.*?)</pre>', printed, re.DOTALL)
    measures: dict[str, Any] = json.loads(html.unescape(found))
    return measures


@pytest.mark.parametrize("place", ["desk", "phone", "small phone, hostile"])
def test_everything_fits_and_can_be_read(measured: dict[str, Any], place: str) -> None:
    found = measured[place]
    assert (found["overflow"], found["outside"], found["squeezed"]) == (0, [], [])
    assert found["smallest"] >= 11
    assert found["barred"] > 20
    assert found["bars"] == 0


def test_tables_become_blocks_on_a_phone(measured: dict[str, Any]) -> None:
    assert measured["desk"]["stacked"] == "table-cell"
    assert measured["desk"]["label"] in {"none", "normal"}
    assert measured["phone"]["stacked"] == "grid"
    assert measured["phone"]["label"] == '"Host"'
    # Each part of a cell would be a cell of its grid; only one goes beside the label.
    assert measured["phone"]["split"] == []


def test_the_page_is_dark_where_the_reader_wants_it_dark(measured: dict[str, Any]) -> None:
    assert measured["desk"]["ground"] == "rgb(255, 255, 255)"
    assert measured["dark"]["ground"] == "rgb(13, 17, 23)"
    assert measured["dark"]["text"] == "rgb(230, 237, 243)"


def test_hostile_names_do_nothing(measured: dict[str, Any]) -> None:
    found = measured["small phone, hostile"]
    assert (found["scripts"], found["images"]) == (0, 0)
    assert found["title"].startswith("rook-ceph/test: failed")
    assert "<script>document.title='owned'</script>" in found["words"]


def test_it_prints(browser: Any, tmp_path: Path) -> None:
    written(tmp_path, "plain", NAMES, "plain")
    browser(tmp_path / "plain.html", f"--print-to-pdf={tmp_path / 'report.pdf'}")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
