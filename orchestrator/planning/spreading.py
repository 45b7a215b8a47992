"""topologySpreadConstraints, as the scheduler of Kubernetes decides them."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Host
from orchestrator.model.spec.kube import TopologySpreadConstraint
from orchestrator.planning import node_affinity, tolerations
from orchestrator.planning.label_selectors import selects
from orchestrator.planning.pods import HOSTNAME, Placed, Pod, narrowed, node_labels

BEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A pod that is to be placed on one of `hosts`, which are all that there are."""

    pod: Pod
    others: Sequence[Placed]
    hosts: Sequence[Host]

    def refusal(self, host: Host) -> str:
        """Why the pod would be out of balance on this host, or nothing."""
        return next(self._refusals(host), "")

    def _refusals(self, host: Host) -> Iterator[str]:
        labels = node_labels(host)
        for one in self._of("DoNotSchedule"):
            key = one.topology_key
            if key not in labels:
                yield f"topologySpreadConstraints go by the label {key}, which it does not have"
                continue
            counts = self._counts(one, "DoNotSchedule")
            own = int(self._means(one, self.pod))
            skew = counts.get(labels[key], 0) + own - _least(one, counts)
            if skew > one.max_skew:
                text = f"{key} {labels[key]} would have {skew} more than another"
                yield f"{text}, and maxSkew is {one.max_skew}"

    def _of(self, wanted: str) -> list[TopologySpreadConstraint]:
        every = self.pod.placement.topology_spread_constraints
        return [one for one in every if one.when_unsatisfiable == wanted]

    def _means(self, constraint: TopologySpreadConstraint, other: Pod) -> bool:
        selector = constraint.label_selector
        if selector is not None:
            selector = narrowed(selector, self.pod.labels, constraint.match_label_keys)
        return selects(selector, other.labels)

    def _counts(self, constraint: TopologySpreadConstraint, wanted: str) -> Counter[str]:
        """Matching daemons in each domain, those without any included."""
        key = constraint.topology_key
        found: Counter[str] = Counter()
        counted = list(self._eligible(constraint, wanted))
        for host in counted:
            found[node_labels(host)[key]] += 0
        names = {host.name for host in counted}
        for one in self.others:
            if one.host.name in names and self._means(constraint, one.pod):
                found[node_labels(one.host)[key]] += 1
        return found

    def _eligible(self, constraint: TopologySpreadConstraint, wanted: str) -> Iterable[Host]:
        """Hosts that count: with all keys, and fit for the pod as the policies say."""
        keys = {one.topology_key for one in self._of(wanted)}
        placement = self.pod.placement
        for host in self.hosts:
            fit = constraint.node_affinity_policy == "Ignore" or not node_affinity.refusal(
                host, placement.node_affinity
            )
            clean = constraint.node_taints_policy != "Honor" or not tolerations.refusing(
                host.taints, placement.tolerations
            )
            if fit and clean and keys <= set(node_labels(host)):
                yield host

    def scores(self, feasible: Sequence[Host]) -> list[int]:
        """How evenly the pod would be spread on each of these hosts, from 0 to 100."""
        soft = self._of("ScheduleAnyway")
        if not soft:
            return [0] * len(feasible)
        keys = {one.topology_key for one in soft}
        known = [host for host in feasible if keys <= set(node_labels(host))]
        raw = dict.fromkeys((host.name for host in known), 0.0)
        for one in soft:
            counts, weight = self._counts(one, "ScheduleAnyway"), _weight(one, known)
            for host in known:
                count = counts.get(node_labels(host)[one.topology_key], 0)
                raw[host.name] += count * weight + (one.max_skew - 1)
        rounded = {name: math.floor(value + 0.5) for name, value in raw.items()}
        low, high = min(rounded.values(), default=0), max(rounded.values(), default=0)
        return [
            0
            if host.name not in rounded
            else BEST
            if high == 0
            else BEST * (high + low - rounded[host.name]) // high
            for host in feasible
        ]


def _least(constraint: TopologySpreadConstraint, counts: Counter[str]) -> int:
    if len(counts) < (constraint.min_domains or 1):
        return 0
    return min(counts.values(), default=0)


def _weight(constraint: TopologySpreadConstraint, known: Sequence[Host]) -> float:
    """Domains of a key with many values count more: each of them holds fewer."""
    key = constraint.topology_key
    size = len(known) if key == HOSTNAME else len({node_labels(host)[key] for host in known})
    return math.log(size + 2)
