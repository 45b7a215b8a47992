"""podAffinity and podAntiAffinity, as the scheduler of Kubernetes decides them.

A domain is all hosts with the same value of a topology key, which for `kubernetes.io/hostname` is
one host. Anti-affinity holds both ways: a daemon that wants to be apart keeps others away too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Host
from orchestrator.model.spec.kube import Placement, PodAffinityTerm, PreferredPod
from orchestrator.planning.label_selectors import Labels
from orchestrator.planning.pods import Placed, Pod, node_labels, term_takes

Domain = tuple[str, str]
"""A topology key and its value."""

HARD_WEIGHT = 1
"""What a required affinity of a daemon that is there already adds to a host's score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """A pod that is to be placed among others."""

    pod: Pod
    others: Sequence[Placed]
    namespace: str

    def refusal(self, host: Host) -> str:
        """Why the pod cannot be on this host, or nothing."""
        labels = node_labels(host)
        return (
            self._lonely(labels)
            or next(self._crowded(labels), "")
            or next(self._unwelcome(labels), "")
        )

    def _lonely(self, labels: Labels) -> str:
        """Only daemons that all terms mean count; the first of a group may be anywhere."""
        terms = required(self.pod.placement)
        if not terms:
            return ""
        lacking = next((one.topology_key for one in terms if one.topology_key not in labels), "")
        if lacking:
            return f"podAffinity goes by the label {lacking}, which it does not have"
        meant = [one for one in self.others if self._means_all(terms, one.pod)]
        apart = [one for one in terms if not _joined(one.topology_key, labels, meant)]
        if not apart or (not meant and self._means_all(terms, self.pod)):
            return ""
        key = apart[0].topology_key
        return f"no daemon that podAffinity asks for is in its {key} ({labels[key]})"

    def _means_all(self, terms: Sequence[PodAffinityTerm], other: Pod) -> bool:
        return all(term_takes(one, self.pod, other, self.namespace) for one in terms)

    def _crowded(self, labels: Labels) -> Iterator[str]:
        for term in required_apart(self.pod.placement):
            for other in self.others:
                if _same_domain(term.topology_key, labels, other.host) and term_takes(
                    term, self.pod, other.pod, self.namespace
                ):
                    yield _apart(other, term, labels, "podAntiAffinity")

    def _unwelcome(self, labels: Labels) -> Iterator[str]:
        for other in self.others:
            for term in required_apart(other.pod.placement):
                if _same_domain(term.topology_key, labels, other.host) and term_takes(
                    term, other.pod, self.pod, self.namespace
                ):
                    yield _apart(other, term, labels, "its podAntiAffinity")

    def score(self, host: Host) -> int:
        """How much the preferences of all speak for a host; more is better, and it may be < 0."""
        labels = node_labels(host)
        return sum(
            weight for (key, value), weight in self.weights().items() if labels.get(key) == value
        )

    def weights(self) -> Counter[Domain]:
        found: Counter[Domain] = Counter()
        for other in self.others:
            for term, weight in self._wishes(other.pod):
                value = node_labels(other.host).get(term.topology_key)
                if value is not None:
                    found[term.topology_key, value] += weight
        return found

    def _wishes(self, other: Pod) -> Iterator[tuple[PodAffinityTerm, int]]:
        """Terms of the pod that mean the other one, and the other's that mean the pod."""
        for of, meant in ((self.pod, other), (other, self.pod)):
            for preferred, sign in _preferred(of.placement):
                term = preferred.pod_affinity_term
                if term_takes(term, of, meant, self.namespace):
                    yield term, sign * preferred.weight
        for term in required(other.placement):
            if term_takes(term, other, self.pod, self.namespace):
                yield term, HARD_WEIGHT


def required(placement: Placement) -> tuple[PodAffinityTerm, ...]:
    found = placement.pod_affinity
    return found.required_during_scheduling_ignored_during_execution if found else ()


def required_apart(placement: Placement) -> tuple[PodAffinityTerm, ...]:
    found = placement.pod_anti_affinity
    return found.required_during_scheduling_ignored_during_execution if found else ()


def _preferred(placement: Placement) -> Iterator[tuple[PreferredPod, int]]:
    for affinity, sign in ((placement.pod_affinity, 1), (placement.pod_anti_affinity, -1)):
        if affinity:
            for one in affinity.preferred_during_scheduling_ignored_during_execution:
                yield one, sign


def _same_domain(key: str, labels: Labels, other: Host) -> bool:
    return key in labels and node_labels(other).get(key) == labels[key]


def _joined(key: str, labels: Labels, meant: Sequence[Placed]) -> bool:
    return any(_same_domain(key, labels, one.host) for one in meant)


def _apart(other: Placed, term: PodAffinityTerm, labels: Labels, what: str) -> str:
    key = term.topology_key
    return f"{other.pod.name} is in the same {key} ({labels[key]}), and {what} keeps them apart"
