"""From the options of a command to the station that it works with: hosts, or Kubernetes."""

import click

from orchestrator import app
from orchestrator.cli import kubernetes, reading
from orchestrator.cli.options import Target
from orchestrator.console.progress import Watcher


def of(
    target: Target, watcher: Watcher, *, preview: bool = False, warn: bool = True
) -> app.Workstation:
    """The station for `target`; a `preview` may be of a manifest that was not applied yet."""
    if target.kubeconfig:
        if target.inventories:
            raise click.UsageError("-i names hosts and --kubeconfig Kubernetes; give one of them")
        return kubernetes.station(target, watcher, preview=preview)
    if target.manifest is None:
        raise click.UsageError("Missing option '-f' / '--filename'.")
    if not target.inventories:
        raise click.UsageError("Missing option '-i' / '--inventory'.")
    found = reading.manifest(target.manifest, target.name, warn=warn)
    return app.workstation(found.cluster, target.inventories, reading.home(), watcher)
