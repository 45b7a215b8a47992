"""The step that takes daemons away, for all rules that find such as are to go."""

from collections.abc import Iterator, Sequence

from orchestrator.model.plan import AbsentStep, Change, RemovedDaemon
from orchestrator.planning.context import Context


def steps(
    context: Context, gone: Sequence[tuple[Change, RemovedDaemon]], users: Sequence[str] = ()
) -> Iterator[AbsentStep]:
    """One step for all of `gone`; none where there is nothing. The keys of `users` go, too."""
    if gone:
        yield AbsentStep(
            changes=tuple(change for change, _ in gone),
            fsid=context.fsid,
            mons=context.mons,
            admin_host=context.admin_host,
            daemons=tuple(daemon for _, daemon in gone),
            users=tuple(users),
        )
