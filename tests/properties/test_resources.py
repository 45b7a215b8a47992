"""Limits that come, change and go: the cluster ends as the manifest says, whatever the order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator import planning
from orchestrator.converge import Patience, converge
from tests.fakes import clusters
from tests.fakes.stores import world

amounts = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(("500m", 1, "2")),
        "memory": st.sampled_from(("2Gi", "3G", 4294967296)),
    },
)
manifests = st.fixed_dictionaries(
    {}, optional={kind: st.fixed_dictionaries({"limits": amounts}) for kind in ("mgr", "osd")}
)


@settings(max_examples=15)
@given(st.lists(manifests, min_size=2, max_size=3))
def test_limits_end_as_the_last_manifest_says(wanted):
    machines = clusters.room()
    for resources in wanted:
        cluster = clusters.cluster(resources=resources)
        found = world(cluster, machines)
        result = converge(cluster.key, found, Patience(seconds=5, sleep=lambda _: None))
        assert result.plan.converged, (result.plan, result.outcome)
        assert planning.plan(cluster.spec, found.facts[cluster.key]).steps == ()
