"""Draws a diagram of boxes and arrows from its description, always the same for the same text.

The description has `title`, `boxes` (place in the grid, kind, one or two lines), `arrows` (from,
to, corners in the grid, text) and a `legend` of the kinds.
"""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import yaml

CELL, BOX = (220, 110), (196, 58)
MARGIN, HEAD = 12, 30
FILLS = {"pure": "#d7f0dd", "value": "#e4ecfb", "world": "#f1f1f1"}
LINE, TEXT, SOFT = "#57606a", "#1f2328", "#57606a"

Point = tuple[float, float]


def drawn(path: Path) -> str:
    """The SVG of a description."""
    return _Drawing(yaml.safe_load(path.read_text(encoding="utf-8"))).text()


class _Drawing:
    def __init__(self, described: Mapping[str, Any]) -> None:
        self._described = described
        self._boxes: Mapping[str, Mapping[str, Any]] = described["boxes"]
        columns, rows = (
            max(box["at"][axis] for box in self._boxes.values()) + 1 for axis in (0, 1)
        )
        self._width = columns * CELL[0] + 2 * MARGIN
        self._height = rows * CELL[1] + HEAD + 2 * MARGIN
        self._root = ET.Element("svg", self._frame())

    def _frame(self) -> dict[str, str]:
        return {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {self._width} {self._height}",
            "role": "img",
            "font-family": "system-ui, 'DejaVu Sans', sans-serif",
        }

    def text(self) -> str:
        ET.SubElement(self._root, "title").text = self._described["title"]
        self._marker()
        self._rectangle((0, 0), (self._width, self._height), "#ffffff", "#ffffff")
        for arrow in self._described["arrows"]:
            self._arrow(arrow)
        for box in self._boxes.values():
            self._box(box)
        self._legend()
        ET.indent(self._root)
        return ET.tostring(self._root, encoding="unicode") + "\n"

    def _marker(self) -> None:
        shape = {"id": "tip", "viewBox": "0 0 8 8", "refX": "8", "refY": "4", "orient": "auto"}
        marker = ET.SubElement(ET.SubElement(self._root, "defs"), "marker", shape)
        ET.SubElement(marker, "path", {"d": "M0 0 8 4 0 8z", "fill": LINE})

    def _rectangle(self, at: Point, size: Point, fill: str, stroke: str = LINE) -> None:
        (x, y), (width, height) = at, size
        place = {"x": f"{x:g}", "y": f"{y:g}", "width": f"{width:g}", "height": f"{height:g}"}
        ET.SubElement(self._root, "rect", {**place, "rx": "6", "fill": fill, "stroke": stroke})

    def _words(self, at: Point, text: str, size: int, colour: str, anchor: str = "middle") -> None:
        x, y = at
        place = {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor}
        look = {"font-size": str(size), "fill": colour}
        ET.SubElement(self._root, "text", {**place, **look}).text = text

    def _box(self, box: Mapping[str, Any]) -> None:
        x, y = _centre(box["at"])
        self._rectangle((x - BOX[0] / 2, y - BOX[1] / 2), BOX, FILLS[box["kind"]])
        first, *others = box["text"]
        self._words((x, y - 4 if others else y + 5), first, 14, TEXT)
        for line in others:
            self._words((x, y + 16), line, 12, SOFT)

    def _arrow(self, arrow: Mapping[str, Any]) -> None:
        ends = [_centre(self._boxes[arrow[end]]["at"]) for end in ("from", "to")]
        points = [ends[0], *map(_centre, arrow.get("via", ())), ends[1]]
        start, end = _edge(points[0], points[1]), _edge(points[-1], points[-2])
        line = " ".join(f"{x:g},{y:g}" for x, y in (start, *points[1:-1], end))
        look = {"fill": "none", "stroke": LINE, "stroke-width": "1.5", "marker-end": "url(#tip)"}
        ET.SubElement(self._root, "polyline", {"points": line, **look})
        if "text" in arrow:
            (x1, y1), (x2, y2) = next(iter(pairwise((start, *points[1:-1], end))))
            self._words(((x1 + x2) / 2, (y1 + y2) / 2 - 8), arrow["text"], 12, SOFT)

    def _legend(self) -> None:
        y = self._height - MARGIN - 6
        x = float(MARGIN)
        for kind, text in self._described["legend"].items():
            self._rectangle((x, y - 12), (18, 14), FILLS[kind])
            self._words((x + 24, y), text, 12, SOFT, "start")
            x += 60 + 7 * len(text)


def _centre(at: tuple[float, float]) -> Point:
    column, row = at
    return MARGIN + (column + 0.5) * CELL[0], MARGIN + (row + 0.5) * CELL[1]


def _edge(inside: Point, towards: Point) -> Point:
    """Where the line between two points leaves the box around the first."""
    (x, y), (x2, y2) = inside, towards
    dx, dy = x2 - x, y2 - y
    scale = min(_reach(BOX[0], dx), _reach(BOX[1], dy))
    return x + dx * scale, y + dy * scale


def _reach(size: float, distance: float) -> float:
    return size / 2 / abs(distance) if distance else float("inf")
