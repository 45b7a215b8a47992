"""The only place that starts Ansible: a private directory on tmpfs, one run, its artifacts.

Variables and the step's inventory live in a 0700 directory that is gone when the run ends; what
stays are the artifacts, in which tasks with secrets are censored by `no_log`.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ansible_runner
import yaml

from orchestrator.ansible import complaints, content, inventory, private, renewal, ssh_keys
from orchestrator.ansible.events import Fold, Progress
from orchestrator.ansible.facts import Member, speaker
from orchestrator.ansible.inventory import InventoryError
from orchestrator.ansible.processes import TOKEN, Processes
from orchestrator.ansible.ssh_keys import with_keys
from orchestrator.ansible.telling import queued
from orchestrator.ansible.variables import Variables, asking
from orchestrator.model.facts import NO_RESTARTS, Lock, Restarts
from orchestrator.model.outcome import Outcome

KEPT_RUNS = 20
LARGEST_RESULT = 50_000_000
"""Characters of one result; ansible-runner's default of 700,000 cuts a large cluster's facts."""

CANCEL_SECONDS = 1
LISTING_SECONDS = 30.0
LOOKING_FORKS = 25
FEWEST_FORKS, MOST_FORKS = 5, 50

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who is told of a run's progress and of an image that is asked, and who may end it."""

    on_progress: OnProgress
    canceled: Callable[[], bool]
    on_detection: Callable[[], None] = lambda: None


def unheard(canceled: Callable[[], bool]) -> Watch:
    """For a run beside another one, whose progress is what is told."""
    return Watch(on_progress=lambda _progress: None, canceled=canceled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a run is to do; without a limit it is for every host of its inventory."""

    playbook: str
    extra: Mapping[str, Any]
    overlay: Mapping[str, Any] | None = None
    """An inventory beside the user's own, which it changes for this run."""

    limit: Sequence[str] | None = None
    forks: int
    check: bool = False


class Runner:
    """Runs playbooks against one inventory; `canceled` is asked about once a second."""

    def __init__(
        self,
        *,
        inventories: Sequence[Path],
        artifacts: Path,
        on_progress: OnProgress,
        canceled: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._given = dict(environment or {})
        self._inventories = [str(path.resolve()) for path in inventories]
        self._artifacts = artifacts
        self._keys: dict[str, str] = {}
        self._listed = threading.Event()
        self._processes = Processes(artifacts.with_name("processes"))
        self._watch = Watch(on_progress=on_progress, canceled=canceled)

    def members(self) -> tuple[Member, ...]:
        """The hosts of the inventory, from `ansible-inventory --list`."""
        try:
            return self._members()
        finally:
            self._listed.set()

    def _members(self) -> tuple[Member, ...]:
        sources = [part for path in self._inventories for part in ("-i", path)]
        done = subprocess.run(
            [_tool("ansible-inventory"), "--list", *sources],
            # A file that is left out would take its hosts away, which a plan would take for a wish.
            env={**os.environ, **_environment(1), "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "1"},
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,  # Ctrl-C is for us alone: we note it and end in order
        )
        if done.returncode != 0:
            raise InventoryError(complaints.refusal(done.stderr))
        listing = json.loads(done.stdout)
        self._keys = self._usable(listing.get("_meta", {}).get("hostvars", {}))
        try:
            return _meant(listing, done.stderr)
        except InventoryError as error:  # one listing of all files: which one it was is not told
            raise InventoryError(f"{', '.join(self._inventories)}: {error}") from error

    def _usable(self, variables: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
        path = Path(self._inventories[0])
        try:
            return ssh_keys.replaced(variables, path if path.is_dir() else path.parent, os.environ)
        except ssh_keys.KeyRefusedError as error:
            raise InventoryError(str(error)) from error

    def observe(self, restarts: Restarts = NO_RESTARTS) -> Outcome:
        """Look at every host, and ask which of the OSDs that wait may restart; changes nothing."""
        order = Order(playbook="facts.yml", extra=asking(restarts), forks=LOOKING_FORKS)
        outcome = self.run(order)
        if outcome.unreachable and self._listed.wait(LISTING_SECONDS):
            lacking = {failure.host for failure in outcome.unreachable} & self._keys.keys()
            if lacking:  # their keys were not known to need a copy when the look began
                outcome = self.run(order)
        return self._spoken(outcome, order.extra)

    def _spoken(self, outcome: Outcome, extra: Mapping[str, Any]) -> Outcome:
        """`outcome` with Ceph's view, asked for once more where the leader's host is not ours."""
        host = speaker(outcome)
        if host is None or outcome.canceled:
            return outcome
        asked = {name: value for name, value in extra.items() if name.startswith("facts_")}
        order = Order(
            playbook="facts.yml", extra={**asked, "facts_speaks": True}, limit=[host], forks=1
        )
        return replace(outcome, reports={**outcome.reports, **self.run(order).reports})

    def apply(self, variables: Variables, *, check: bool = False) -> Outcome:
        """Run one step's playbook on its hosts.

        It is cut off when somebody else has taken the lock over: this workstation slept for longer
        than its lock lasts, and two would work.
        """
        others: list[Lock] = []

        def renew(variables: Variables, ended: Callable[[], bool]) -> None:
            others.extend(self._renewed(variables, ended))

        watch = replace(self._watch, canceled=lambda: bool(others) or self._watch.canceled())
        with renewal.while_running(renew, variables, check=check):
            outcome = self._on_its_hosts(variables, watch, check=check)
        if others and not outcome.ok:
            return replace(outcome, holder=others[0])
        return outcome if check else self._spoken(outcome, variables.extra)

    def release(self, variables: Variables) -> Outcome:
        """Let go of the lock, also when the run itself is to end: that is a matter of moments."""
        watch = Watch(on_progress=self._watch.on_progress, canceled=lambda: False)
        return self._on_its_hosts(variables, watch)

    def _on_its_hosts(self, variables: Variables, watch: Watch, *, check: bool = False) -> Outcome:
        order = Order(
            playbook=variables.playbook,
            extra=variables.extra,
            overlay=inventory.overlay(variables),
            limit=[str(name) for name in variables.hosts],
            forks=forks(variables),
            check=check,
        )
        return self.run(order, watch)

    def _renewed(self, variables: Variables, ended: Callable[[], bool]) -> tuple[Lock, ...]:
        """Take the lock for longer beside the step that runs; its own next one would be late.

        Gives the lock of somebody else that was met instead.
        """
        hosts = variables.extra["lock_renewal_hosts"]
        order = Order(
            playbook="lock.yml",
            extra={**variables.extra, "lock_hosts": hosts, "lock_renew": True},
            overlay=inventory.overlay(variables),
            limit=hosts,
            forks=FEWEST_FORKS,
        )
        outcome = self.run(order, unheard(ended))
        return (outcome.holder,) if outcome.holder else ()

    def run(self, order: Order, watch: Watch | None = None) -> Outcome:
        watch = watch or self._watch
        ident = _ident(order.playbook)
        fold = Fold(run=ident, playbook=order.playbook, check=order.check)
        started = time.monotonic()
        with (
            private.directory() as folder,
            self._processes.noted(ident, folder) as noted,
            queued(watch.on_progress) as tell,
        ):
            result = ansible_runner.interface.init_runner(
                **self._arranged(order, folder, noted.token),
                ident=ident,
                event_handler=_handler(fold, tell),
                cancel_callback=watch.canceled,
                quiet=True,
            )
            result.config.command = noted.command(result.config.command)
            result.run()
            if result.status == "canceled":
                noted.end()
            _forget_environment(self._artifacts / ident)
            output = _output(self._artifacts / ident)
        return fold.outcome(
            rc=result.rc,
            canceled=result.status == "canceled",
            seconds=time.monotonic() - started,
            output=output,
        )

    def _arranged(self, order: Order, folder: Path, token: str) -> dict[str, Any]:
        """What ansible-runner is told of an order, once its variables lie in `folder`."""
        overlay = with_keys(folder, order.overlay, self._keys)
        written = _written(folder, overlay, order.extra)
        arguments = _arguments(order.limit, folder / "env" / "limit", check=order.check)
        collections = content.link_collection(folder / "collections")
        return {
            "private_data_dir": str(folder),
            "playbook": str(content.playbook(order.playbook)),
            "inventory": [*self._inventories, *written],
            "artifact_dir": str(self._artifacts),
            "rotate_artifacts": KEPT_RUNS,
            "cmdline": arguments or None,
            "envvars": {
                **_environment(order.forks),
                **self._given,
                "ANSIBLE_COLLECTIONS_PATH": _collections_path(collections),
                TOKEN: token,
            },
            "settings": {"pexpect_timeout": CANCEL_SECONDS},
        }


def forks(variables: Variables) -> int:
    """How many hosts a step works on at a time."""
    return max(FEWEST_FORKS, min(MOST_FORKS, len(variables.hosts)))


def _meant(listing: Mapping[str, Any], said: str) -> tuple[Member, ...]:
    """The hosts of a listing, unless Ansible said that it left something out."""
    if skipped := complaints.skipped(said):
        raise InventoryError(skipped)
    return inventory.members(listing)


def _handler(fold: Fold, on_progress: OnProgress) -> Callable[[dict[str, Any]], bool]:
    def handle(event: dict[str, Any]) -> bool:
        progress = fold.feed(event)
        if progress:
            on_progress(progress)
        return True

    return handle


def _ident(playbook: str) -> str:
    now = time.time()
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now))
    return f"{stamp}.{int(now % 1 * 1000):03d}-{playbook.removesuffix('.yml')}"


def _written(
    folder: Path, overlay: Mapping[str, Any] | None, extra: Mapping[str, Any]
) -> list[str]:
    env = folder / "env"
    env.mkdir(mode=0o700)
    (env / "extravars").write_text(yaml.safe_dump(dict(extra)))
    if overlay is None:
        return []
    path = folder / "overlay.yml"
    path.write_text(yaml.safe_dump(dict(overlay)))
    return [str(path)]


def _arguments(limit: Sequence[str] | None, path: Path, *, check: bool) -> str:
    """A limit may name a thousand hosts, so it goes into a file."""
    words = ["--check", "--diff"] if check else []
    if limit is not None:
        path.write_text("\n".join(limit) + "\n")
        words += ["--limit", f"@{path}"]
    return " ".join(words)


def _tool(name: str) -> str:
    """The Ansible of this environment, also when it is not the first on PATH."""
    own = Path(sys.executable).parent / name
    return str(own) if own.exists() else name


def _environment(forks: int) -> dict[str, str]:
    config = Path.cwd() / "ansible.cfg"
    chosen = {"ANSIBLE_CONFIG": str(config)} if config.is_file() else {}
    return {
        **chosen,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "ANSIBLE_FORKS": str(forks),
        "ANSIBLE_PIPELINING": "True",
        "ANSIBLE_RETRY_FILES_ENABLED": "False",
        "ANSIBLE_NOCOLOR": "True",
        "ANSIBLE_DEPRECATION_WARNINGS": "False",
        # An Ansible that meta/runtime.yml does not name is refused before the first task.
        "ANSIBLE_COLLECTIONS_ON_ANSIBLE_VERSION_MISMATCH": "error",
        "ANSIBLE_LOCALHOST_WARNING": "False",
        "MAX_EVENT_RES": str(LARGEST_RESULT),
        "PYTHONUNBUFFERED": "1",
    }


def _collections_path(own: Path) -> str:
    theirs = os.environ.get("ANSIBLE_COLLECTIONS_PATH", "~/.ansible/collections")
    return f"{own}:{theirs}"


def _forget_environment(directory: Path) -> None:
    """ansible-runner notes the whole environment beside the command; it may hold secrets."""
    path = directory / "command"
    if path.is_file():
        noted = json.loads(path.read_text())
        path.write_text(json.dumps({"command": noted["command"], "cwd": noted["cwd"]}))


def _output(directory: Path) -> str:
    path = directory / "stdout"
    return path.read_text(errors="replace") if path.is_file() else ""
