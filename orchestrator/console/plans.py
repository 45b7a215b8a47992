"""A plan for people: every change with its daemon, host and reason, in the order of the run."""

from collections.abc import Iterator

from orchestrator.console import links
from orchestrator.console.documents import playbook
from orchestrator.model import wording
from orchestrator.model.names import ClusterKey
from orchestrator.model.plan import Action, Change, Plan, Reason


def plan_text(key: ClusterKey, plan: Plan) -> str:
    """The whole plan; the same text for the same plan, so that it can be reviewed and compared."""
    return "\n".join([_headline(key, plan), *_steps(plan), *_reasons(plan)])


def deletion_text(plan: Plan) -> str:
    """What a deletion leaves, or takes for good, in one sentence."""
    whose = f"of the cluster {plan.fsid}"
    if any(change.action is Action.DESTROY for change in plan.changes):
        return f"\nDisks, data and keys {whose} are destroyed. There is no way back."
    return f"\nData, disks and keys {whose} stay; `orchestrator run` brings it back."


def _headline(key: ClusterKey, plan: Plan) -> str:
    if plan.steps:
        changes = wording.counted(len(plan.changes), "change")
        runs = wording.counted(len(plan.steps), "run")
        return f"{key}: {changes} in {runs}"
    if plan.blocked:
        return f"{key}: nothing can be done now"
    return f"{key}: nothing to do"


def _steps(plan: Plan) -> Iterator[str]:
    widths = _widths(plan.changes)
    for number, step in enumerate(plan.steps, start=1):
        yield ""
        yield f"run {number}: {playbook(step)}"
        for change in step.changes:
            yield _line(change, widths)


def _widths(changes: tuple[Change, ...]) -> tuple[int, int]:
    subjects = max((len(change.subject) for change in changes), default=0)
    hosts = max((len(change.host or "") for change in changes), default=0)
    return subjects, hosts


def _line(change: Change, widths: tuple[int, int]) -> str:
    subject, host = widths
    place = change.host or ""
    return (
        f"  {change.action:<8} {change.subject:<{subject}}  {place:<{host}}  {change.reason}"
    ).rstrip()


def _reasons(plan: Plan) -> Iterator[str]:
    for title, reasons in (("blocked", plan.blocked), ("note", plan.notices)):
        if reasons:
            yield ""
        for reason in reasons:
            yield f"{title}: {reason_text(reason)}"
    if plan.blocked or plan.notices:
        yield from ("", *links.help_lines((*plan.blocked, *plan.notices)))


def reason_text(reason: Reason) -> str:
    """`Code: host: message`."""
    place = f"{reason.host}: " if reason.host else ""
    return f"{reason.code}: {place}{reason.message}"
