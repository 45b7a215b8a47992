"""Which labels a requirement takes: Kubernetes' selectors of nodes and of pods.

What Kubernetes would refuse (an operator that it does not know, a number that is none) is refused
with the manifest, and matches nothing here.
"""

import re
from collections.abc import Mapping, Sequence

from orchestrator.model.spec.kube import LabelSelector, NodeSelectorTerm, Requirement

Labels = Mapping[str, str]

NAME_FIELD = "metadata.name"

_INTEGER = re.compile(r"[+-]?[0-9]+")


def matches(requirement: Requirement, labels: Labels) -> bool:
    """Whether labels meet one requirement; a missing label meets NotIn, and neither Gt nor Lt."""
    present = requirement.key in labels
    value = labels.get(requirement.key, "")
    match requirement.operator:
        case "In":
            return present and value in requirement.values
        case "NotIn":
            return not present or value not in requirement.values
        case "Exists":
            return present
        case "DoesNotExist":
            return not present
        case "Gt" | "Lt":
            return present and _ordered(requirement, value)
        case _:
            return False


def _ordered(requirement: Requirement, value: str) -> bool:
    if len(requirement.values) != 1:
        return False
    ours, limit = _integer(value), _integer(requirement.values[0])
    if ours is None or limit is None:
        return False
    return ours > limit if requirement.operator == "Gt" else ours < limit


def _integer(text: str) -> int | None:
    """A decimal integer of 64 bits, as Go reads it."""
    number = int(text) if _INTEGER.fullmatch(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


def unmet(term: NodeSelectorTerm, labels: Labels, name: str) -> tuple[Requirement, ...] | None:
    """Requirements of a term that a node does not meet; None for an empty term: it takes none."""
    if not term.match_expressions and not term.match_fields:
        return None
    fields = {NAME_FIELD: name}
    return tuple(
        requirement
        for requirements, values in ((term.match_fields, fields), (term.match_expressions, labels))
        for requirement in requirements
        if not matches(requirement, values)
    )


def takes(term: NodeSelectorTerm, labels: Labels, name: str) -> bool:
    return unmet(term, labels, name) == ()


def selects(selector: LabelSelector | None, labels: Labels) -> bool:
    """Whether a selector takes labels: an absent one takes nothing, an empty one everything."""
    if selector is None:
        return False
    equal = all(labels.get(key) == value for key, value in selector.match_labels.items())
    return equal and all(matches(one, labels) for one in selector.match_expressions)


def shown(requirement: Requirement) -> str:
    """A requirement for people: `zone In [a, b]`."""
    values = f" [{', '.join(requirement.values)}]" if requirement.values else ""
    return f"{requirement.key} {requirement.operator}{values}"


def shown_all(requirements: Sequence[Requirement]) -> str:
    return " and ".join(shown(one) for one in requirements)
