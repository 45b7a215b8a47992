"""What Kubernetes would refuse of a placement is refused with the manifest, each with its path."""

import pytest

from tests.fakes.manifests import SPEC, parse, refusals

TERM = (
    "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{%s}]}}}"
)
APART = "{podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [%s]}}"
LIKED = (
    "{podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 500, podAffinityTerm: {topologyKey: a}}]}}"
)
SPREAD = "{topologySpreadConstraints: [{maxSkew: %s, topologyKey: %s, whenUnsatisfiable: %s}]}"
TOLERATION = "{tolerations: [{%s}]}"


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        (
            TERM % "matchExpressions: [{key: a, operator: in, values: [b]}]",
            "DoesNotExist, Gt, Lt; remedy: use one of them",
        ),
        (
            TERM % "matchExpressions: [{key: a, operator: In}]",
            "matchExpressions[0].values: must hold a value for the operator In",
        ),
        (
            TERM % "matchExpressions: [{key: a, operator: Exists, values: [b]}]",
            "matchExpressions[0].values: must be empty for the operator Exists",
        ),
        (
            TERM % "matchExpressions: [{key: a, operator: Gt, values: [many]}]",
            "matchExpressions[0].values: must be one whole number for the operator Gt",
        ),
        (
            TERM % "matchFields: [{key: metadata.uid, operator: In, values: [b]}]",
            'matchFields[0].key: "metadata.uid": must be one of metadata.name',
        ),
        (
            TERM % "matchFields: [{key: metadata.name, operator: Exists}]",
            'matchFields[0].operator: "Exists": must be one of In, NotIn',
        ),
        (APART % "{topologyKey: ''}", "[0].topologyKey: is required"),
        (
            APART
            % "{topologyKey: a, labelSelector: {matchExpressions: [%s]}}"
            % "{key: a, operator: Gt, values: ['3']}",
            'operator: "Gt": must be one of In, NotIn, Exists, DoesNotExist',
        ),
        (LIKED, "[0].weight: 500: must be from 1 to 100"),
        (SPREAD % (0, "a", "DoNotSchedule"), "[0].maxSkew: 0: must be at least 1"),
        (SPREAD % (1, "''", "DoNotSchedule"), "[0].topologyKey: is required"),
        (SPREAD % (1, "a", "Never"), '[0].whenUnsatisfiable: "Never": must be one of'),
        (TOLERATION % "key: a, effect: Never", '[0].effect: "Never": must be one of NoSchedule'),
        (TOLERATION % "key: a, operator: In", '[0].operator: "In": must be one of Equal, Exists'),
        (TOLERATION % "value: a", "[0].operator: must be Exists when no key is given"),
        (
            TOLERATION % "key: a, operator: Exists, value: b",
            '[0].value: "b": must be empty for the operator Exists',
        ),
    ],
)
def test_what_kubernetes_would_refuse_is_refused(placement, expected):
    (found,) = refusals(f"{SPEC}  placement:\n    mon: {placement}\n")

    assert found.startswith("f.yaml:6: spec.placement.mon.")
    assert expected in found


def test_what_kubernetes_takes_is_taken():
    term = "matchExpressions: [{key: a, operator: Lt, values: ['-5']}]"
    tolerated = TOLERATION % "operator: Exists"

    assert parse(f"{SPEC}  placement:\n    mon: {TERM % term}\n    all: {tolerated}\n").cluster
