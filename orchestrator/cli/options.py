"""Options that several commands share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from orchestrator.model.owner import LOCK_SECONDS

R = TypeVar("R")

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _manifest(words: str, *, required: bool = False) -> Decorator:
    return click.option("-f", "--filename", "manifest", required=required, type=FILE, help=words)


def _inventory(*, required: bool = False) -> Decorator:
    return click.option(
        "-i",
        "--inventory",
        "inventories",
        multiple=True,
        required=required,
        type=click.Path(exists=True, path_type=Path),
        help="An Ansible inventory; may be given more than once.",
    )


manifest_option = _manifest("The file with the CephCluster.", required=True)
known_manifest_option = _manifest(
    "The file with the CephCluster; not needed while one cluster is known here."
)
name_option = click.option("--name", default="", help="Which CephCluster, if the file has several.")
inventory_option = _inventory(required=True)
output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(["auto", "plain", "json"]),
    default="auto",
    help="auto: live on a terminal, else plain lines; json: one event a line.",
)


def form_option(plain: str) -> Decorator:
    """How an answer is shown: `plain` is the form for people, the others are for programs."""
    forms = click.Choice([plain, "yaml", "json"])
    return click.option(
        "-o", "--output", type=forms, default=plain, show_default=True, help="How to show it."
    )


patience_option = click.option(
    "--timeout",
    "patience",
    type=click.FloatRange(min=0),
    default=120.0,
    show_default=True,
    help="Seconds to wait for what comes by itself, such as mons that are electing.",
)
lock_option = click.option(
    "--lock-timeout",
    "lock_seconds",
    type=click.FloatRange(min=5),
    default=LOCK_SECONDS,
    show_default=True,
    help="Seconds for which others respect the lock of this run after it died.",
)
kubeconfig_option = click.option(
    "--kubeconfig",
    type=FILE,
    help="How to reach Kubernetes; in a pod its service account is the default, else $KUBECONFIG.",
)
operator_namespace_option = click.option(
    "--operator-namespace",
    default="rook-ceph",
    envvar="POD_NAMESPACE",
    show_default=True,
    show_envvar=True,
    help="Where the operator's Lease is.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a command works on: a manifest and its hosts, or a CephCluster of Kubernetes."""

    manifest: Path | None
    name: str
    inventories: tuple[Path, ...]
    kubeconfig: Path | None
    namespace: str
    operator_namespace: str


def target_options(command: Callable[..., R]) -> Callable[..., R]:
    """The options of a Target, which the command gets as `target`."""

    @wraps(command)
    def called(**given: Any) -> R:  # noqa: ANN401 - whatever the other options are
        names = Target.__dataclass_fields__
        chosen = {name: given.pop(name) for name in names}
        return command(target=Target(**chosen), **given)

    with_target: Callable[..., R] = called
    for option in reversed(TARGET):
        with_target = option(with_target)
    return with_target


TARGET = (
    _manifest("The file with the CephCluster; with --kubeconfig it need not be given."),
    name_option,
    _inventory(),
    click.option(
        "--kubeconfig",
        type=FILE,
        help="Work on the CephCluster of this Kubernetes in place of hosts.",
    ),
    click.option(
        "--namespace", default="", help="With --kubeconfig: the namespace of the CephCluster."
    ),
    operator_namespace_option,
)
