"""Who works on a cluster, as others see it."""

from dataclasses import dataclass

LOCK_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """`name` is for people. An `id` is one state directory's; it is empty before the first run.

    Others respect a lock for `seconds` after it was taken or renewed.
    """

    name: str
    id: str = ""
    seconds: float = LOCK_SECONDS
