"""How long looking at the hosts takes, beyond what Ansible takes for any task on them."""

import os
import sys
from pathlib import Path

from bench import commands
from lab.settings import Lab

ROOT = Path(__file__).parents[1]
LOOK = ROOT / "playbooks" / "facts.yml"
NOTHING = Path(__file__).with_name("nothing.yml")
TURNS = 3


def seconds(lab: Lab) -> float:
    """The fastest look less the fastest run of a task that does nothing, in turns."""
    turns = [(_run(lab, LOOK), _run(lab, NOTHING)) for _ in range(TURNS)]
    return max(0.0, min(look for look, _ in turns) - min(nothing for _, nothing in turns))


def _run(lab: Lab, playbook: Path) -> float:
    tools = Path(sys.executable).parent
    environment = {
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        "ANSIBLE_PIPELINING": "True",
        "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }
    words = [str(tools / "ansible-playbook"), "-i", str(lab.inventory), str(playbook)]
    return commands.timed(words, environment=environment, cwd=ROOT, timeout=120)
