"""nodeAffinity: which hosts are out of the question, and which are preferred."""

from orchestrator.model.facts import Host
from orchestrator.model.spec.kube import NodeAffinity, NodeSelectorTerm, Requirement
from orchestrator.planning import label_selectors
from orchestrator.planning.pods import node_labels


def refusal(host: Host, affinity: NodeAffinity | None) -> str:
    """Why the required terms do not take this host, or nothing. One term is enough."""
    required = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    if required is None:
        return ""
    terms, labels = required.node_selector_terms, node_labels(host)
    if any(label_selectors.takes(term, labels, str(host.name)) for term in terms):
        return ""
    texts = [text for term in terms if (text := _unmet(term, host))]
    return f"nodeAffinity asks for {', or for '.join(texts)}" if texts else "nodeAffinity is empty"


def _unmet(term: NodeSelectorTerm, host: Host) -> str:
    labels = node_labels(host)
    found = label_selectors.unmet(term, labels, str(host.name)) or ()
    return " and ".join(f"{label_selectors.shown(one)} ({_has(one, host)})" for one in found)


def _has(requirement: Requirement, host: Host) -> str:
    key = requirement.key
    if key == label_selectors.NAME_FIELD:
        return f"it is {host.name}"
    labels = node_labels(host)
    return f"it has {labels[key]}" if key in labels else "it has none"


def score(host: Host, affinity: NodeAffinity | None) -> int:
    """The sum of the weights of preferred terms that take this host; an empty term says nothing."""
    if affinity is None:
        return 0
    labels = node_labels(host)
    return sum(
        one.weight
        for one in affinity.preferred_during_scheduling_ignored_during_execution
        if label_selectors.takes(one.preference, labels, str(host.name))
    )
