"""What every command begins with: the manifest, the home of its state, and who is told."""

import os
from pathlib import Path

import click
from rich.console import Console

from orchestrator.cli import ending
from orchestrator.console import progress
from orchestrator.model.manifest import Manifest, Platform, parse_manifest
from orchestrator.model.names import ClusterKey
from orchestrator.stores import files

TO_BE_DELETED = "metadata.deletionTimestamp is set; `orchestrator delete` takes the cluster away"
"""Why `run` refuses a manifest: on hosts nobody but `delete` asks before it takes away."""


def key(home: files.Home, path: Path | None, name: str, *, warn: bool = True) -> ClusterKey:
    """The cluster of the manifest, or the only one that is known here."""
    return manifest(path, name, warn=warn).cluster.key if path else _only_cluster(home)


def _only_cluster(home: files.Home) -> ClusterKey:
    known = home.clusters()
    if len(known) == 1:
        return known[0]
    names = ", ".join(str(key) for key in known) or "none"
    raise click.UsageError(f"clusters known here: {names}; name the manifest with -f")


def home() -> files.Home:
    """Where this user's clusters have their state."""
    return files.Home(files.state_home(os.environ))


def manifest(
    path: Path, name: str, *, warn: bool = True, platform: Platform = Platform.HOSTS
) -> Manifest:
    """The manifest of a file, its warnings said unless `warn` is off.

    Raises click.UsageError when the file cannot be read and SpecError when it is not understood.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        text = f"{path}: is no text in UTF-8; remedy: name a YAML file, or save it in UTF-8"
        raise click.UsageError(text) from error
    found = parse_manifest(text, source=str(path), name=name, platform=platform)
    if warn:
        for warning in found.warnings:
            ending.complain(f"Warning: {warning}")
    return found


def watcher(output: str) -> progress.Watcher:
    """Who shows a run: JSON when asked for, a live view on a terminal, else plain lines."""
    if output == "json":
        return progress.Json(click.echo)
    console = Console(stderr=True)
    if output == "auto" and console.is_terminal:
        return progress.Terminal(console)
    return progress.Plain(click.echo)


def silent() -> progress.Watcher:
    """Sees everything and shows nothing: plan and status print their result alone."""
    return progress.Plain(_ignore)


def _ignore(_: str) -> None:
    """Take a line and drop it."""
