"""Every command with its options, from click itself."""

from collections.abc import Iterator
from typing import Any

import click

HEAD = """\
# Every command

Made from the program by `make reference`; `orchestrator COMMAND --help` says the same.

<!-- run: here -->
```console
$ orchestrator --version
orchestrator, version …
$ orchestrator plan --help
Usage: orchestrator plan [OPTIONS]
…
```

| command | what it does |
|---|---|
"""
EXIT_CODES = """
## Exit codes

| code | meaning |
|---|---|
| 0 | `run`, `delete`: done; `plan`: nothing to do |
| 1 | a run failed, or nobody could be asked, as when Kubernetes does not answer |
| 2 | wrong usage, or a manifest or inventory that cannot be used; no host was touched |
| 3 | blocked: what is asked cannot be done now, and the reason has been told |
| 10 | `plan`, `run --check`: changes are pending |
| 128 + signal | interrupted |
"""


def page(group: click.Group) -> str:
    """The page of all commands of a group, in the order of their names."""
    # Its own settings: click keeps the help option that it makes for the first context.
    context = click.Context(group, info_name="orchestrator", **group.context_settings)
    found = dict(sorted(group.commands.items()))
    rows = [
        f"| [`{name}`](#orchestrator-{name}) | {_line(command.help)} |\n"
        for name, command in found.items()
    ]
    parts = [_command(command, name, context) for name, command in found.items()]
    return HEAD + "".join(rows) + "".join(parts) + EXIT_CODES


def _command(command: click.Command, name: str, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    words = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    options = [
        one.to_info_dict() | {"hint": _hint(one, context)}
        for one in command.get_params(context)
        if isinstance(one, click.Option) and not one.hidden and "--help" not in one.opts
    ]
    return "\n".join(
        [
            "",
            f"## orchestrator {name}",
            "",
            *_paragraphs(command.help),
            "```text",
            words,
            "```",
            "",
            "| option | meaning |",
            "|---|---|",
            *(_option(one) for one in options),
            "",
        ]
    )


def _paragraphs(text: str | None) -> Iterator[str]:
    for paragraph in (text or "").split("\n\n"):
        yield " ".join(paragraph.split())
        yield ""


def _line(text: str | None) -> str:
    return " ".join((text or "").partition("\n\n")[0].split())


def _hint(option: click.Option, context: click.Context) -> str:
    """What `--help` puts behind the text of an option, in square brackets."""
    record = option.get_help_record(context)
    text = record[1] if record else ""
    written = " ".join((option.help or "").split())
    return text.removeprefix(written).strip()


def _option(option: dict[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in [*option["opts"], *option["secondary_opts"]])
    value = "" if option["is_flag"] else f" {_value(option['type'])}"
    meaning = " ".join(part for part in (option["help"], option["hint"]) if part)
    return f"| {names}{value} | {_escaped(meaning)} |"


def _value(kind: dict[str, Any]) -> str:
    if kind["param_type"] == "Choice":
        return ", ".join(f"`{choice}`" for choice in kind["choices"]).replace(", ", " or ")
    return f"*{kind['name'].removesuffix(' range')}*"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
