"""Runs the commands of pages as a reader would: one shell, one command after the other."""

import os
import subprocess
import sys
from pathlib import Path

from handbook.shown import Block, Command, missing

END = "\x01"


def run(blocks: list[Block], folder: Path, **environment: str) -> None:
    """Run all commands in one shell that begins in `folder`; each must print what is shown."""
    commands = [one for block in blocks for one in block.commands]
    assert commands
    script = "\n".join(f"{one.text}\nprintf '{END}%d{END}\\n' $?" for one in commands)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "COLUMNS": "140", "PATH": path(), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    parts = done.stdout.split(END)[:-1]
    outputs, codes = parts[::2], [int(code) for code in parts[1::2]]
    assert len(codes) == len(commands), done.stdout
    for command, output, code in zip(commands, outputs, codes, strict=True):
        assert code in allowed(command), f"{command.text}: exit code {code}\n{output}"
        assert not missing(command, output), (
            f"{command.text} did not print: {missing(command, output)}\nbut:\n{output}"
        )


def path() -> str:
    return f"{Path(sys.executable).parent}:{os.environ['PATH']}"


def allowed(command: Command) -> set[int]:
    """A plan with changes has an exit code of its own."""
    return {0, 10} if command.text.startswith("orchestrator plan") else {0}
