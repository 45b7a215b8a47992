"""What the storage section names and no host has: a list of devices has no row for it."""

from collections.abc import Iterator

from orchestrator.model.plan import Reason
from orchestrator.planning import unused
from orchestrator.planning.survey import Survey


def unmatched(survey: Survey) -> Iterator[Reason]:
    """Names of nodes that mean no host or several, hosts without a device, and unknown devices."""
    yield from survey.assignment.refused
    yield from survey.assignment.unknown
    for host in survey.hosts:
        selector = survey.selector(host)
        if selector and host.reachable:
            yield from unused.absent(host, selector)
