"""The loop of a watch, with scripted runs: when it runs, what it cuts off, how it ends."""

import signal
from dataclasses import dataclass, field, replace

import pytest

from orchestrator.ansible.inventory import InventoryError
from orchestrator.app import Interruption
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from orchestrator.model.plan import Plan
from orchestrator.reconcile import Result
from orchestrator.stores import StoreError
from orchestrator.watching import loop
from orchestrator.watching.loop import Conclusion, UnusableError, Watch, Ways
from orchestrator.watching.pace import Pace
from orchestrator.watching.systemd import Notifier
from tests.fakes.clusters import cluster

DONE = Result(plan=Plan())
CANCELED = Result(plan=Plan(), outcome=Outcome(ok=False, run="1", playbook="", canceled=True))
INTERVAL = 100.0


@dataclass
class Station:
    """As much of a workstation as the loop looks at."""

    cluster: object
    interruption: Interruption = field(default_factory=Interruption)


@dataclass
class Scene:
    """Files, a clock, and a script: what happens during each run; the last one ends the watch."""

    manifest: object
    inventory: object
    script: list
    resting: list = field(default_factory=list)
    time: float = 0.0
    started: list = field(default_factory=list)
    told: list = field(default_factory=list)
    starts: list = field(default_factory=list)

    def read(self):
        text = self.manifest.read_text()
        if text == "bad":
            raise UnusableError("Error: bad")
        found = cluster(mon={"count": int(text)})
        name = "other" if text == "5" else "test"
        return replace(found, key=ClusterKey("rook-ceph", name))

    def run(self, station):
        self.started.append(station.cluster.spec.mon.count)
        self.starts.append(self.time)
        found = self.script.pop(0)(self, station)
        if not self.script:
            self.watch.signals.ended = signal.SIGTERM
        return found

    def pause(self, seconds):
        self.time += seconds
        if self.resting:
            self.resting.pop(0)(self)

    def until_ended(self):
        self.watch = Watch(
            manifest=self.manifest,
            inventories=(self.inventory,),
            pace=Pace(interval=INTERVAL),
            notifier=Notifier(address=""),
            ways=Ways(
                read=self.read,
                station=Station,
                run=self.run,
                conclude=lambda _station, result: Conclusion(
                    text="converged" if result is DONE else "blocked", converged=result is DONE
                ),
                tell=self.told.append,
                pause=self.pause,
                clock=lambda: self.time,
                chance=lambda: 0.5,
            ),
        )
        return self.watch.until_ended()


def done(_scene, _station):
    return DONE


def blocked(_scene, _station):
    return Result(plan=Plan())


def refused(_scene, _station):
    raise StoreError("held by another")


def unusable(_scene, _station):
    raise InventoryError("hosts.yml: all.hosts: none")


def until_cut_off(station):
    return CANCELED if station.interruption.event.wait(10) else DONE


def writes(text, *, inventory=False):
    """A run during which somebody writes a file, and which lasts until it is cut off."""

    def run(scene, station):
        (scene.inventory if inventory else scene.manifest).write_text(text)
        return until_cut_off(station)

    return run


@pytest.fixture
def scene(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "LOOK_SECONDS", 0.01)

    def make(*script, **more):
        manifest, inventory = tmp_path / "cluster.yaml", tmp_path / "hosts.yml"
        manifest.write_text("1")
        inventory.write_text("")
        return Scene(manifest, inventory, list(script), **more)

    return make


def test_it_runs_at_once_and_again_after_the_interval(scene):
    found = scene(done, done)

    assert found.until_ended() == signal.SIGTERM
    assert found.starts == [0.0, pytest.approx(INTERVAL, abs=0.1)]
    assert found.told == ["converged", "converged"]


def test_what_did_not_converge_is_tried_sooner(scene):
    found = scene(blocked, refused, done, done)
    found.until_ended()

    waits = [after - before for before, after in zip(found.starts, found.starts[1:], strict=False)]
    assert waits == [pytest.approx(one, abs=0.1) for one in (10, 20, INTERVAL)]
    assert found.told == ["blocked", "Error: held by another", "converged", "converged"]


UNUSABLE = "Error: hosts.yml: all.hosts: none"


def test_why_there_is_no_run_is_said_once_and_again_when_it_is_something_else(scene):
    found = scene(unusable, unusable, unusable, refused, refused, unusable, done, unusable, done)
    found.until_ended()

    assert found.told == [
        UNUSABLE,
        "Error: held by another",
        UNUSABLE,
        "converged",
        UNUSABLE,
        "converged",
    ]


def test_whoever_writes_the_inventory_is_told_how_it_is_now_and_a_mended_one_is_run(scene):
    def write(text):
        return lambda scene: scene.inventory.write_text(text)

    waits = [lambda _scene: None] * 3
    found = scene(unusable, unusable, done, resting=[write("1"), *waits, write("2")])
    found.until_ended()

    assert found.told == [UNUSABLE, UNUSABLE, "converged"]
    assert found.starts[-1] < 1


def test_whoever_asks_for_a_run_is_told_why_there_is_none(scene):
    def ask(scene):
        scene.watch.signals.again = True

    found = scene(unusable, unusable, done, resting=[ask])
    found.until_ended()

    assert found.told == [UNUSABLE, UNUSABLE, "converged"]


def test_a_changed_manifest_cuts_the_run_off_and_is_run_at_once(scene):
    found = scene(writes("3"), done)
    found.until_ended()

    assert found.started == [1, 3]
    assert found.told == [
        "the manifest changed; the run for what it said before is cut off",
        "converged",
    ]
    assert found.starts == [0.0, 0.0]


def test_so_does_a_changed_inventory(scene):
    found = scene(writes("all: {}", inventory=True), done)
    found.until_ended()

    assert found.started == [1, 1]
    assert "the inventory changed" in found.told[0]


def test_a_manifest_that_says_the_same_in_other_words_ends_no_run(scene):
    def same(scene, _station):
        scene.manifest.write_text("1 ")
        return DONE

    found = scene(same, done)
    found.until_ended()

    assert found.told == ["converged", "converged"]
    assert found.starts[1] < INTERVAL


def test_a_manifest_that_is_not_understood_ends_no_run_and_starts_none(scene):
    def spoil(scene, _station):
        scene.manifest.write_text("bad")
        return DONE

    def much_later(scene):
        scene.time += 100 * INTERVAL

    def mend(scene):
        scene.manifest.write_text("3")

    found = scene(spoil, done, resting=[lambda _scene: None, much_later, much_later, mend])
    found.until_ended()

    assert found.started == [1, 3]
    assert found.told == ["converged", "Error: bad; waiting for a change", "converged"]


def test_a_manifest_of_another_cluster_is_not_run(scene):
    def rename(scene, _station):
        scene.manifest.write_text("5")
        return DONE

    found = scene(rename, done, resting=[*[lambda _scene: None] * 3, end])
    found.until_ended()

    assert found.started == [1]
    assert "is about rook-ceph/other now, and this watches rook-ceph/test" in found.told[1]


def end(scene):
    scene.watch.signals.ended = signal.SIGINT


def test_sighup_runs_again_now(scene):
    def ask(scene):
        scene.watch.signals.again = True

    found = scene(done, done, resting=[ask])
    found.until_ended()

    assert found.starts[1] < 1


def test_an_end_cuts_the_run_off(scene):
    def run(scene, station):
        scene.watch.signals.ended = signal.SIGTERM
        return until_cut_off(station)

    found = scene(run)

    assert found.until_ended() == signal.SIGTERM
    assert found.told == ["blocked"]


def test_a_signal_that_the_run_took_ends_the_watch(scene):
    def run(_scene, station):
        station.interruption.number = signal.SIGINT
        return CANCELED

    found = scene(run, done)

    assert found.until_ended() == signal.SIGINT
    assert found.started == [1]


def test_a_manifest_that_is_bad_from_the_beginning_is_refused(scene):
    found = scene(done)
    found.manifest.write_text("bad")

    with pytest.raises(UnusableError, match="Error: bad"):
        found.until_ended()
