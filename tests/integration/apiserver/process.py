"""An operator as a process of its own, with simulated hosts: what the tests of signals start.

`python -m tests.integration.apiserver.process HOME KUBECONFIG NAMESPACE`; while the file
HOME/hold exists, each playbook waits.
"""

import os
import sys
from pathlib import Path

from orchestrator import operator
from orchestrator.stores import files
from tests.fakes.operators import Runners, Scripted
from tests.integration.apiserver.site import BRISK


def main(home: Path, kubeconfig: Path, namespace: str) -> None:
    """Serve until SIGTERM; the port is chosen by the system."""

    def prepare(runner: Scripted) -> None:
        runner.gate = home / "hold"

    settings = operator.Settings(
        home=files.Home(home),
        operator_namespace=namespace,
        kubeconfig=kubeconfig,
        namespace=namespace,
        listen=("127.0.0.1", int(os.environ["PORT"])),
        times=BRISK,
    )
    operator.serve(settings, Runners(prepare=prepare))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
