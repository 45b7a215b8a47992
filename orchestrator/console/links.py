"""Where the documentation is read: the one place that knows its address.

It comes with the program, so a link leads somewhere wherever this runs. Who serves the built site
(`make docs`) names it in ORCHESTRATOR_DOCS.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from orchestrator.ansible import content
from orchestrator.model.plan import Reason

PAGE = "troubleshooting"
SITE = "ORCHESTRATOR_DOCS"


def page() -> Path:
    """The file whose paragraphs explain the codes."""
    return content.root() / "docs" / f"{PAGE}.md"


def help_link(code: str) -> str:
    """Where a reason or the verdict on a device is explained; its code is the paragraph's title."""
    return f"{_address()}#{code.lower()}"


def help_lines(reasons: Iterable[Reason]) -> list[str]:
    """A line for each code, once, in the order of the reasons."""
    return [f"help: {help_link(code)}" for code in dict.fromkeys(one.code for one in reasons)]


def _address() -> str:
    """The page of a site that was named, or else the file: short where one stands above it."""
    site = os.environ.get(SITE)
    if site:
        return f"{site.rstrip('/')}/{PAGE}/"
    file = page()
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else file.as_uri()
