"""The terminal picture of the README, from a real run: `make picture`.

The commands run on a terminal of their own; what it shows in the end is drawn by rich.
"""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.style import Style
from rich.text import Text

COLUMNS, ROWS = 140, 50
MOST_LINES = 500
FILE = Path(__file__).resolve().parents[1] / "docs" / "images" / "run.svg"
LAB = ("-f", "examples/cluster.yaml", "-i", ".lab/inventory.yml")
COMMANDS = (
    ("orchestrator", "plan", *LAB),
    ("orchestrator", "run", *LAB),
    ("orchestrator", "status"),
)
# rich would have a reader's browser fetch a font from elsewhere.
SVG = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "Fira Code, monospace", "ui-monospace, 'DejaVu Sans Mono', monospace"
)


def main() -> None:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for number, command in enumerate(COMMANDS):
        if number:
            console.print()
        console.print(Text.assemble(("$ ", "bold green"), (" ".join(command), "bold")))
        for line in shown(command):
            console.print(line, no_wrap=True, crop=True)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(picture(console), encoding="utf-8")


def picture(console: Console) -> str:
    """What was printed, as an SVG that loads nothing."""
    return console.export_svg(title="three empty hosts", code_format=SVG, unique_id="run")


def shown(command: Sequence[str]) -> list[Text]:
    """The lines that a terminal shows once the command has ended."""
    screen = pyte.Screen(COLUMNS, MOST_LINES)
    stream = pyte.ByteStream(screen)
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        while chunk := _read(ours):
            stream.feed(chunk)
    os.close(ours)
    if process.returncode not in {0, 10}:
        sys.exit(f"{command}: exit code {process.returncode}\n" + "\n".join(screen.display))
    return [_line(screen.buffer[row]) for row in range(screen.cursor.y)]


def _read(terminal: int) -> bytes:
    """The next piece; nothing once the other side is closed, of which Linux makes an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def _line(cells: Mapping[int, Any]) -> Text:
    text = Text()
    for column in range(COLUMNS):
        cell = cells[column]
        colour = None if cell.fg == "default" else _colour(cell.fg)
        text.append(cell.data, Style(color=colour, bold=cell.bold or None))
    text.rstrip()
    return text


def _colour(name: str) -> str:
    """The name or hexadecimal digits of pyte in rich's form."""
    return f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else name.replace("brown", "yellow")


if __name__ == "__main__":
    main()
