"""Writes the pages that are made from the sources: `python -m handbook`."""

from handbook.pages import DOCS, made


def main() -> None:
    for name, text in made().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
