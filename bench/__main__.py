"""`make bench`: the floor and the orchestrator, one after the other on the same hosts."""

import dataclasses
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from bench import commands, discovery, floor, nodes, operators, planning, report
from bench.report import Round
from lab import keys, labs
from lab.proc import LabError
from lab.settings import SUITES, Lab, Options

OUTPUT = Path(".bench/latest.json")
CLUSTER = Path(__file__).with_name("cluster.yaml")
ORCHESTRATOR = Path(sys.executable).with_name("orchestrator")


# The floor's mons elect once or three times, as luck will have it, which is ten seconds: of an odd
# number of rounds the median is one that was measured.
@click.command()
@click.option("--dir", "folder", default=".lab-bench", show_default=True, help="The lab to use.")
@click.option("--ceph", default="20", type=click.Choice([str(major) for major in SUITES]))
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(1))
@click.option("--keep", is_flag=True, help="Leave the hosts and the last cluster up.")
def main(folder: str, ceph: str, rounds: int, keep: bool) -> None:  # noqa: FBT001
    """Measure, print a table, write .bench/latest.json; fail when something is too slow."""
    try:
        with _lab(folder, int(ceph), keep=keep) as hosts:
            turns = [_round(hosts, number) for number in range(1, rounds + 1)]
        others = {**planning.measure(), **operators.measure(), **nodes.measure()}
    except LabError as error:
        raise click.ClickException(str(error)) from None
    numbers = report.summary(turns, others)
    _write({**numbers, "ceph": int(ceph), "rounds": [dataclasses.asdict(turn) for turn in turns]})
    print(report.table(numbers))
    if slow := report.too_slow(numbers):
        raise click.ClickException(f"over its limit: {', '.join(slow)}")


@contextmanager
def _lab(folder: str, ceph: int, *, keep: bool) -> Iterator[floor.Hosts]:
    lab = Lab.at(folder)
    labs.up(lab, 3, Options(ceph=ceph, disks=1), rebuild=True)
    hosts = floor.Hosts(lab)
    hosts.wipe()
    try:
        yield hosts
    finally:
        if not keep:
            labs.down(lab)


def _round(hosts: floor.Hosts, number: int) -> Round:
    print(f"round {number}: plain commands", end="", flush=True)
    seconds = {"floor": hosts.build()}
    hosts.check()
    hosts.wipe()
    with tempfile.TemporaryDirectory(prefix="bench-state-") as state:
        for name, command in (("create", "run"), ("noop", "run"), ("plan", "plan")):
            print(f" {seconds[list(seconds)[-1]]:.1f} s, {name}", end="", flush=True)
            seconds[name] = _orchestrator(command, hosts.lab, state)
    print(f" {seconds['plan']:.1f} s, discovery", end="", flush=True)
    seconds["discovery"] = discovery.seconds(hosts.lab)
    print(f" {seconds['discovery']:.1f} s", flush=True)
    hosts.check()
    hosts.wipe()
    return Round(**seconds)


def _orchestrator(command: str, lab: Lab, state: str) -> float:
    """Run the orchestrator as a person would, with a state of its own; return the seconds."""
    words = [str(ORCHESTRATOR), command, "-f", str(CLUSTER), "-i", str(lab.inventory)]
    seconds = commands.timed(words, environment={"XDG_STATE_HOME": state}, timeout=600)
    if command == "run":
        keys.close_connections(lab)  # what the last run left open must not help the next
    return seconds


def _write(numbers: dict[str, object]) -> None:
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(numbers, indent=2) + "\n")


if __name__ == "__main__":
    main()
