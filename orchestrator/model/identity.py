"""A cluster's identity with its first keys: made once, given to one run, shown to nobody."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """fsid and, while a cluster is being made, the keys of `mon.` and `client.admin` (base64).

    Empty keys mean: take what a mon host holds.
    """

    fsid: str
    mon_key: str = field(default="", repr=False)
    admin_key: str = field(default="", repr=False)
