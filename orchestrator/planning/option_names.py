"""Sections and options as Ceph itself writes them, so that equal ones are one."""


def option_key(section: str, name: str) -> tuple[str, str]:
    """`("osd/class:ssd/rack:r1", "osd max-backfills")` → its section and name in Ceph's form."""
    return _section(section), name.strip().replace(" ", "_").replace("-", "_")


def _section(section: str) -> str:
    """Ceph names the place of a mask first, and the device class after it."""
    who, *masks = (part.strip() for part in section.split("/"))
    return "/".join([who, *sorted(masks, key=lambda mask: mask.startswith("class:"))])
