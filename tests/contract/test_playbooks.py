"""Every run of a step lets nobody else work meanwhile, and ends with a look."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.paths import ROOT

WITHOUT_A_STEP = {"facts", "lock", "services", "site", "unlock", "version"}
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


def test_a_whole_cluster_by_hand_begins_with_a_step() -> None:
    first = plays("site")[0]["ansible.builtin.import_playbook"]
    assert first.removesuffix(".yml") in STEPS
