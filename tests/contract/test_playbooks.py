"""Every run of a step lets nobody else work meanwhile, and ends with a look."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.ansible.variables import TARGETS_OF
from orchestrator.planning.together import ORDER
from tests.contract.paths import ROOT

WITHOUT_A_STEP = {"facts", "lock", "services", "unlock", "version"}
STEPS = sorted({path.stem for path in (ROOT / "playbooks").glob("*.yml")} - WITHOUT_A_STEP)


def plays(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load(Path(ROOT / "playbooks" / f"{name}.yml").read_text()))


@pytest.mark.parametrize("name", STEPS)
def test_a_step_holds_the_lock_from_its_first_play_on_and_ends_with_a_look(name: str) -> None:
    imported = [play.get("ansible.builtin.import_playbook", "") for play in plays(name)]
    assert imported[0] == "lock.yml"
    assert imported[-2:] == ["unlock.yml", "facts.yml"]


def test_a_lock_that_is_held_elsewhere_stops_all_hosts() -> None:
    _version, play = plays("lock")
    assert play["any_errors_fatal"] is True


@pytest.mark.parametrize("name", ["facts", "lock"])
def test_what_every_playbook_begins_with_refuses_an_old_ansible_first(name: str) -> None:
    assert plays(name)[0]["ansible.builtin.import_playbook"] == "version.yml"


@pytest.mark.parametrize("name", ["mon", "mgr", "osd"])
def test_a_whole_cluster_is_made_by_the_plays_of_its_daemons(name: str) -> None:
    (own,) = [play for play in plays(name) if "roles" in play]
    (shared,) = [play for play in plays("site") if play.get("roles") == own["roles"]]
    assert shared == {**own, "hosts": f"{{{{ {name}_targets | default('{name}s') }}}}"}


def test_without_a_quorum_a_run_ends_for_all_hosts() -> None:
    tasks = yaml.safe_load((ROOT / "roles" / "mon" / "tasks" / "run.yml").read_text())
    (task,) = [one for one in tasks if one["name"] == "Make sure that the mons are in quorum"]
    assert task["any_errors_fatal"] is True


def test_the_plays_of_a_whole_cluster_have_the_order_of_its_plan() -> None:
    roles = [role["role"] for play in plays("site") for role in play.get("roles", ())]
    names = [role.rpartition(".")[2] for role in roles]
    assert [f"{name}_targets" for name in names] == [TARGETS_OF[kind] for kind in ORDER]
