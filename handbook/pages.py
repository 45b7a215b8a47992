"""Every page that is made from the sources, by its name below docs/."""

from pathlib import Path

from handbook import commands, decisions, diagram, manifest
from orchestrator.cli import cli

DOCS = Path(__file__).resolve().parents[1] / "docs"


def made() -> dict[str, str]:
    return {
        "commands.md": commands.page(cli),
        "decisions/index.md": decisions.page(DOCS / "decisions"),
        "images/pass.svg": diagram.drawn(DOCS / "images" / "pass.yaml"),
        "manifest.md": manifest.page(),
    }
