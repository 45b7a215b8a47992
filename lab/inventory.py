"""The Ansible inventory of a lab, the same for the orchestrator and for playbooks run by hand."""

from collections.abc import Mapping

HEAD = """\
# Written by `lab up`; the hosts of a throw-away lab.
all:
  vars:
    ansible_user: root
    ansible_python_interpreter: /usr/bin/python3
    ansible_ssh_private_key_file: "{{ inventory_dir }}/ssh/id_ed25519"
    ansible_ssh_common_args: >-
      -o UserKnownHostsFile={{ inventory_dir }}/ssh/known_hosts -o IdentitiesOnly=yes
    ansible_control_path_dir: "{{ inventory_dir }}/ssh/cp"
    # Lab disks are loop devices, which ceph-volume takes only when told so.
    ceph_allow_loop_devices: true
"""
MGRS = 2


def text(addresses: Mapping[str, str], letters: str) -> str:
    """Return the inventory as YAML."""
    hosts = list(addresses)
    lines = ["    osd_devices:" if letters else "    osd_devices: []"]
    lines += [f"      - path: /dev/disk/by-id/lab-disk-{letter}" for letter in letters]
    lines.append("  hosts:")
    for host, address in addresses.items():
        lines += [f"    {host}:", f"      ansible_host: {address}"]
    lines.append("  children:")
    for group, members in (("mons", hosts), ("mgrs", hosts[:MGRS]), ("osds", hosts)):
        lines += [f"    {group}:", "      hosts:", *(f"        {host}:" for host in members)]
    return HEAD + "\n".join(lines) + "\n"
