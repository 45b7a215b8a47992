"""Commands in pages: each says where it is run, names what exists, runs if it needs no hosts."""

import re
import shlex
from pathlib import Path

import click
import pytest

from handbook.shown import Block, Command, blocks, missing
from orchestrator.cli import cli
from tests import shown
from tests.contract.paths import ROOT

PAGES = [
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "roles").glob("*/README.md"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]
BLOCKS = [block for page in PAGES for block in blocks(page)]
COMMANDS = [one for block in BLOCKS for one in block.commands]


def name(block: Block) -> str:
    return f"{block.page}:{block.line}"


def test_every_block_says_where_it_is_run() -> None:
    assert len(BLOCKS) > 8
    assert not [name(block) for block in BLOCKS if not block.run]


def test_blocks_for_the_lab_stand_on_the_page_that_its_test_runs() -> None:
    assert {block.page for block in BLOCKS if block.run == "lab"} == {"first-cluster.md"}
    nodes = {block.page for block in BLOCKS if block.run == "nodes"}
    assert nodes == {"first-cluster-kubernetes.md"}


HERE = [block for block in BLOCKS if block.run == "here"]


@pytest.mark.parametrize("block", HERE, ids=name)
def test_what_needs_no_hosts_runs(block: Block, tmp_path: Path) -> None:
    shown.run([block], ROOT, XDG_STATE_HOME=str(tmp_path))


@pytest.mark.parametrize(
    "command", [one for one in COMMANDS if one.text.startswith("orchestrator ")], ids=str
)
def test_options_of_the_orchestrator_exist(command: Command) -> None:
    """Also of those commands that are shown for a reader's own hosts."""
    words = shlex.split(command.text)[1:]
    verb = next((word for word in words if not word.startswith("-")), "")
    parser: click.Command = cli.commands[verb] if verb else cli
    context = click.Context(parser, **cli.context_settings)
    known = {option for one in parser.get_params(context) for option in one.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = {one.text.split()[1] for one in COMMANDS if one.text.startswith("make ")}
    assert "demo" in told
    assert told <= targets


PAGE = """\
Text.

<!-- run: lab -->
```console
$ first --option   # why
one  line …
…
$ second
```

1. Inner:

    <!-- run: no, it is yours -->
    ```sh
    # only a comment
    third
    fourth
    ```

<!-- run: here -->
No block follows at once.

```sh
fifth
```

```yaml
a: $ b
```
"""


def test_blocks_are_found_with_their_commands(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)

    assert list(blocks(tmp_path / "page.md")) == [
        Block(
            page="page.md",
            line=4,
            run="lab",
            commands=(
                Command(text="first --option", prints=("one  line …", "…")),
                Command(text="second"),
            ),
        ),
        Block(
            page="page.md",
            line=14,
            run="no, it is yours",
            commands=(Command(text="third"), Command(text="fourth")),
        ),
        Block(page="page.md", line=23, run="", commands=(Command(text="fifth"),)),
    ]


@pytest.mark.parametrize(
    ("prints", "line"),
    [
        (("a b", "e"), ""),
        (("a …",), ""),
        (("…", "e"), ""),
        (("e", "a b"), "a b"),
        (("a",), "a"),
        (("x …",), "x …"),
    ],
)
def test_what_is_shown_must_be_printed_in_its_order(prints: tuple[str, ...], line: str) -> None:
    assert missing(Command(text="x", prints=prints), "a   b\nc d\ne\n") == line


def test_a_command_that_fails_or_prints_something_else_is_told(tmp_path: Path) -> None:
    def block(*commands: Command) -> list[Block]:
        return [Block(page="p", line=1, run="here", commands=commands)]

    shown.run(block(Command(text="cd /"), Command(text="pwd", prints=("/",))), tmp_path)
    with pytest.raises(AssertionError, match="false: exit code 1"):
        shown.run(block(Command(text="false")), tmp_path)
    with pytest.raises(AssertionError, match="echo a did not print: b"):
        shown.run(block(Command(text="echo a", prints=("b",))), tmp_path)
