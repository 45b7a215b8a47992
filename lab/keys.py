"""SSH keys made by the lab: strict host key checking works from the first connection on."""

import shutil
import socket
from pathlib import Path

from lab import proc
from lab.settings import Lab


def private_key(lab: Lab) -> Path:
    return lab.ssh / "id_ed25519"


def known_hosts(lab: Lab) -> Path:
    return lab.ssh / "known_hosts"


def ensure_user_key(lab: Lab) -> None:
    """Have the key with which this machine enters the hosts, in a folder for root alone."""
    lab.control_sockets.mkdir(parents=True, exist_ok=True)
    lab.ssh.chmod(0o700)
    _ensure(private_key(lab), lab.id)


def ensure_host_key(lab: Lab, host: str) -> None:
    """Have a host's own key, and beside it the key that may enter."""
    folder = lab.host_dir(host)
    folder.mkdir(parents=True, exist_ok=True)
    _ensure(folder / "ssh_host_ed25519_key", host)
    shutil.copy(private_key(lab).with_suffix(".pub"), folder / "authorized_keys")


def write_known_hosts(lab: Lab, addresses: dict[str, str]) -> None:
    """Write down whose key is whose, so that ssh never has to trust at first sight."""
    lines = []
    for host, address in addresses.items():
        public = (lab.host_dir(host) / "ssh_host_ed25519_key.pub").read_text()
        lines.append(f"{host},{address} {' '.join(public.split()[:2])}\n")
    known_hosts(lab).write_text("".join(lines))


def ssh_command(lab: Lab, address: str) -> list[str]:
    """Return ssh and its options for root on a host; what follows is the command there."""
    return [
        "ssh",
        *("-i", str(private_key(lab)), "-o", "IdentitiesOnly=yes"),
        *("-o", f"UserKnownHostsFile={known_hosts(lab)}", "-o", "LogLevel=ERROR"),
        f"root@{address}",
    ]


def close_connections(lab: Lab) -> None:
    """End the ssh masters that Ansible left: one to a host that was re-made hangs for minutes."""
    for path in lab.control_sockets.glob("*"):
        proc.attempt(["ssh", "-o", f"ControlPath={path}", "-O", "exit", "lab"])
        path.unlink(missing_ok=True)


def answers(address: str) -> bool:
    """Whether an SSH server speaks at the address."""
    try:
        with socket.create_connection((address, 22), timeout=2) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def _ensure(path: Path, comment: str) -> None:
    if not path.exists():
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)]
        proc.run(command)
