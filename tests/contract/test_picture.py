"""The README's terminal is as wide as the program says, and no line of it is broken."""

import io
import re
from xml.etree import ElementTree as ET

from rich.console import Console

from handbook import picture


def width(svg):
    return re.search(r'viewBox="0 0 ([\d.]+) ', svg)[1]


def test_the_picture_was_drawn_at_the_width_that_stands_in_the_program():
    console = Console(record=True, width=picture.COLUMNS, file=io.StringIO())
    console.print("$ orchestrator plan")
    assert width(picture.FILE.read_text()) == width(picture.picture(console))


def test_every_disk_stands_on_one_line_with_its_reason():
    rows = [text for _, text in sorted(lines())]
    prepared = [row for row in rows if row.strip().startswith("prepare")]
    assert len(prepared) == 6
    assert all(re.search(r"matched by devices entry \S+lab-disk-[ab]$", row) for row in prepared)


def lines():
    """What stands at each height of the picture; rich writes spaces as they are not broken."""
    found = {}
    for one in ET.parse(picture.FILE).iter("{http://www.w3.org/2000/svg}text"):  # noqa: S314 - ours
        text = (one.text or "").replace("\xa0", " ")
        found[float(one.get("y"))] = found.get(float(one.get("y")), "") + text
    return ((height, text.rstrip()) for height, text in found.items())
