"""What the documentation says of a code, for readers who cannot follow a link to it."""

import re
from functools import cache

from orchestrator.console import links

TITLE = re.compile(r"^#{1,3} +(.*)$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@cache
def explanations() -> dict[str, tuple[str, ...]]:
    """The paragraphs of each code as plain text; nothing where the page is not there."""
    try:
        text = links.page().read_text(encoding="utf-8")
    except OSError:
        return {}
    titles = TITLE.split(text)[1:]
    return {
        title: tuple(_plain(part) for part in body.strip().split("\n\n"))
        for title, body in zip(titles[::2], titles[1::2], strict=True)
    }


def _plain(markdown: str) -> str:
    words = " ".join(markdown.split())
    return LINK.sub(r"\1", words).replace("**", "").replace("`", "")
