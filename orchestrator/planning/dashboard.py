"""The dashboard's certificate and its admin, once the module is on.

Both need a mgr that runs the module, so their step comes last: a dashboard that does not come keeps
no OSD waiting, and the next run tries again (C33). An existing certificate is never replaced.
"""

from collections.abc import Iterator

from orchestrator.model.facts import Cluster
from orchestrator.model.facts import Dashboard as Seen
from orchestrator.model.plan import Action, Change, DashboardSetup, Reason, SecretKey
from orchestrator.planning import modules, option_values, secrets
from orchestrator.planning.context import Context

NAME = "dashboard"
ADMIN = "admin"
PASSWORD = SecretKey(name="rook-ceph-dashboard-password", key="password")
"""Rook's own Secret of the password, which a user may make before Rook does."""


def planned(context: Context) -> tuple[DashboardSetup | None, tuple[Change, ...]]:
    """What the dashboard lacks."""
    if not modules.is_wanted(context, NAME):
        return None, ()
    seen = _seen(context.facts.cluster)
    if seen is None:
        return None, ()
    given = secrets.digest(context, PASSWORD)
    changes = (*_certificate(context, seen), *_admin(seen, given))
    if not changes:
        return None, ()
    setup = DashboardSetup(
        certificate=context.spec.dashboard.ssl, password=PASSWORD if given else None
    )
    return setup, changes


def _seen(cluster: Cluster | None) -> Seen | None:
    """What is there; nothing while the module is off, and None when Ceph did not tell."""
    if cluster and "mgr_modules" in cluster.unanswered:
        return None
    if cluster and NAME in cluster.mgr_modules.enabled:
        return cluster.dashboard
    return Seen()


def _certificate(context: Context, seen: Seen) -> Iterator[Change]:
    cluster = context.facts.cluster
    files = cluster and any(one.name == "mgr/dashboard/crt_file" for one in cluster.config)
    if context.spec.dashboard.ssl and not seen.certificate and not files:
        reason = "spec.dashboard.ssl is on and there is none: a self-signed one is made"
        yield Change(action=Action.CREATE, subject="dashboard certificate", reason=reason)


def _admin(seen: Seen, given: str) -> Iterator[Change]:
    """An admin whom others made keeps the password, unless one is given."""
    if ADMIN not in seen.users:
        source = f"of ceph_secrets, {PASSWORD.name}" if given else "that is made up on the host"
        reason = f"there is none; it gets the password {source}"
        yield Change(action=Action.CREATE, subject=f"dashboard user {ADMIN}", reason=reason)
    elif given and seen.password != given:
        was = option_values.hidden(seen.password) if seen.password else "one that others set"
        reason = f"{option_values.hidden(given)} instead of {was}"
        yield Change(action=Action.UPDATE, subject="dashboard password", reason=reason)


def starting(context: Context) -> Iterator[Reason]:
    """A dashboard that is set up and does not serve yet; it comes by itself or not at all."""
    cluster = context.facts.cluster
    if cluster is None or not _awaited(context, cluster) or modules.faults(cluster):
        return
    text = "the dashboard is on, and the active mgr does not serve it yet"
    yield Reason(code="MgrModuleStarting", message=text, transient=True)


def notices(context: Context) -> Iterator[Reason]:
    """Why a dashboard does not come by itself."""
    cluster = context.facts.cluster
    if cluster is None or not _awaited(context, cluster):
        return
    fault = modules.faults(cluster)
    if fault:
        yield Reason(code="MgrModuleFailed", message=f"the dashboard is not served: {fault}")


def _awaited(context: Context, cluster: Cluster) -> bool:
    return (
        modules.is_wanted(context, NAME)
        and NAME in cluster.mgr_modules.enabled
        and cluster.mgr.available
        and NAME not in cluster.mgr.services
        and planned(context)[0] is None
    )
