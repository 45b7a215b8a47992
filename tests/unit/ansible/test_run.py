"""What of the runner needs no Ansible: arguments, the private directory, what artifacts keep."""

import json
import stat
import threading

import pytest
import yaml

from orchestrator.ansible import private, run
from orchestrator.ansible.inventory import InventoryError
from orchestrator.ansible.variables import Variables
from orchestrator.model.facts import Lock, Restarts
from orchestrator.model.outcome import Outcome


@pytest.mark.parametrize(
    ("limit", "check", "expected"),
    [
        (None, False, ""),
        (None, True, "--check --diff"),
        (["a", "b"], False, "--limit @{path}"),
        (["a", "b"], True, "--check --diff --limit @{path}"),
    ],
)
def test_a_limit_of_any_length_goes_through_a_file(tmp_path, limit, check, expected):
    path = tmp_path / "limit"

    assert run._arguments(limit, path, check=check) == expected.format(path=path)
    assert limit is None or path.read_text() == "a\nb\n"


def test_variables_lie_in_a_private_directory_that_goes_away():
    with private.directory() as folder:
        sources = run._written(folder, {"all": {}}, {"ceph_fsid": "x"})

        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "env").stat().st_mode) == 0o700
        assert yaml.safe_load((folder / "env" / "extravars").read_text()) == {"ceph_fsid": "x"}
        assert sources == [str(folder / "overlay.yml")]
    assert not folder.exists()


def test_a_look_needs_no_inventory_of_its_own():
    with private.directory() as folder:
        assert run._written(folder, None, {}) == []


def test_the_environment_is_not_kept_with_the_artifacts(tmp_path):
    noted = {"command": ["ansible-playbook"], "cwd": "/", "env": {"TOKEN": "hunter2"}}
    (tmp_path / "command").write_text(json.dumps(noted))

    run._forget_environment(tmp_path)

    assert json.loads((tmp_path / "command").read_text()) == {
        "command": ["ansible-playbook"],
        "cwd": "/",
    }


def test_a_run_without_artifacts_has_nothing_to_forget(tmp_path):
    run._forget_environment(tmp_path)

    assert run._output(tmp_path) == ""


def test_large_results_are_not_cut():
    assert run._environment(5)["MAX_EVENT_RES"] == "50000000"


def runner(path):
    return run.Runner(
        inventories=[path],
        artifacts=path.parent,
        on_progress=lambda _: None,
        canceled=lambda: False,
    )


THEIRS = Lock(owner="root@there", id="theirs", seconds_left=250.0)


@pytest.mark.parametrize("holder", [THEIRS, None], ids=["taken over", "still ours"])
def test_a_step_whose_lock_was_taken_over_is_cut_off(tmp_path, monkeypatch, holder):
    renewals = threading.Semaphore(0)

    def ran(_self, order, watch):
        if order.playbook == "lock.yml":
            renewals.release()
            return Outcome(ok=holder is None, run="2", playbook="lock.yml", holder=holder)
        assert all(renewals.acquire(timeout=10) for _ in range(3))
        cut = watch.canceled()
        return Outcome(ok=not cut, run="1", playbook=order.playbook, canceled=cut)

    monkeypatch.setattr(run.Runner, "run", ran)
    extra = {"lock_renewal_hosts": ["a"], "lock_seconds": 0.03}
    step = Variables(playbook="osd.yml", targets=(), hosts={}, extra=extra)

    outcome = runner(tmp_path / "inventory").apply(step)

    assert (outcome.holder, outcome.canceled) == (holder, holder is not None)
    assert (outcome.run, outcome.ok) == ("1", holder is None)


def test_a_step_that_is_done_is_no_failure_when_another_takes_its_lock(tmp_path, monkeypatch):
    met = threading.Event()

    def ran(_self, order, _watch):
        if order.playbook == "lock.yml":
            met.set()
            return Outcome(ok=False, run="2", playbook="lock.yml", holder=THEIRS)
        assert met.wait(10)
        return Outcome(ok=True, run="1", playbook=order.playbook)

    monkeypatch.setattr(run.Runner, "run", ran)
    extra = {"lock_renewal_hosts": ["a"], "lock_seconds": 0.03}
    step = Variables(playbook="osd.yml", targets=(), hosts={}, extra=extra)

    outcome = runner(tmp_path / "inventory").apply(step)

    assert (outcome.ok, outcome.holder) == (True, None)


PEON = {"host": {"daemons": [{"mon_state": "peon"}]}, "cluster": None}
VIEW = {"fsid": "f"}


@pytest.mark.parametrize("step", [False, True], ids=["look", "step"])
def test_where_the_leaders_host_is_not_there_another_mon_is_asked(tmp_path, monkeypatch, step):
    orders = []

    def ran(_self, order, _watch=None):
        orders.append((order.playbook, order.limit, dict(order.extra)))
        told = {**PEON, "cluster": VIEW} if order.extra.get("facts_speaks") else PEON
        return Outcome(ok=True, run="1", playbook=order.playbook, reports={"store-b": told})

    monkeypatch.setattr(run.Runner, "run", ran)
    extra = {"facts_restarting_osds": [4], "ceph_fsid": "f"}
    variables = Variables(playbook="osd.yml", targets=(), hosts={"store-b": {}}, extra=extra)
    asked = Restarts(waiting=(4,), at_once=2)
    one = runner(tmp_path / "inventory")

    outcome = one.apply(variables) if step else one.observe(asked)

    assert outcome.reports["store-b"]["cluster"] == VIEW
    assert [playbook for playbook, _, _ in orders] == [
        "osd.yml" if step else "facts.yml",
        "facts.yml",
    ]
    assert orders[1][1] == ["store-b"]
    assert orders[1][2]["facts_restarting_osds"] == [4]
    assert "ceph_fsid" not in orders[1][2]


def listing_tool(folder, monkeypatch, script):
    """Have a shell script stand in for `ansible-inventory`."""
    tool = folder / "tool"
    tool.write_text(f"#!/bin/sh\n{script}")
    tool.chmod(0o755)
    monkeypatch.setattr(run, "_tool", lambda _: str(tool))


def test_an_inventory_that_ansible_refuses_is_an_error_of_the_user(tmp_path, monkeypatch):
    listing_tool(tmp_path, monkeypatch, "echo 'ERROR! Unable to parse' >&2\nexit 4\n")

    with pytest.raises(InventoryError, match="the inventory cannot be read: Unable to parse"):
        runner(tmp_path / "hosts.yml").members()


def test_keys_that_ansible_skips_are_an_error_of_the_user(tmp_path, monkeypatch):
    listing_tool(
        tmp_path,
        monkeypatch,
        "echo 'Skipping unexpected key (host) in group (all)' >&2\necho '{}'\n",
    )

    with pytest.raises(InventoryError) as caught:
        runner(tmp_path / "hosts.yml").members()

    assert str(caught.value).startswith(
        f"{tmp_path}/hosts.yml: the inventory has keys that Ansible skips: host in group all; "
    )


def test_an_inventory_that_cannot_be_used_is_named_with_its_file(tmp_path, monkeypatch):
    listing_tool(tmp_path, monkeypatch, "echo '{}'\n")

    with pytest.raises(InventoryError) as caught:
        runner(tmp_path / "hosts.yml").members()

    assert str(caught.value).startswith(
        f"{tmp_path}/hosts.yml: all.hosts: none: the inventory names no host; remedy: "
    )


def test_members_are_read_from_ansibles_own_listing(tmp_path, monkeypatch):
    listing = {"_meta": {"hostvars": {"ceph-1": {"ansible_host": "192.0.2.1"}}}}
    listing_tool(tmp_path, monkeypatch, f"echo 'a warning' >&2\necho '{json.dumps(listing)}'\n")

    (found,) = runner(tmp_path / "hosts.yml").members()

    assert (found.name, found.address) == ("ceph-1", "192.0.2.1")
