"""Of all that Ansible prints about an inventory, the sentence that helps."""

import pytest

from orchestrator.ansible import complaints

YAML = """\
[WARNING]: Failed to parse inventory with 'auto' plugin: no root 'plugin' key found

[WARNING]: Failed to parse inventory with 'yaml' plugin: Invalid "hosts" entry for "all" group.

Origin: <inventory plugin 'yaml' with source '/i/a.yml'>

[WARNING]: Failed to parse inventory with 'ini' plugin: Failed to parse inventory: No host.

[ERROR]: Completely failed to parse inventory source /i/a.yml
"""
BROKEN = """\
[WARNING]: Failed to parse inventory with 'auto' plugin: YAML parsing failed: Tabs are invalid.

<<< caused by >>>

YAML parsing failed: Tabs are invalid.
Origin: /i/a.yml:2:1

[ERROR]: Completely failed to parse inventory source /i/a.yml
"""
INI = """\
[WARNING]: Failed to parse inventory with 'yaml' plugin: YAML parsing failed.

[WARNING]: Failed to parse inventory with 'ini' plugin: Failed to parse inventory: No value: x

[ERROR]: Completely failed to parse inventory source /i/hosts
"""
OLD = """\
[WARNING]:  * Failed to parse /i/a.yml with yaml plugin: We were unable to read it

ERROR! Completely failed to parse inventory source /i/a.yml
"""
REMEDY = "remedy: correct it, or leave it out"
VAULT = "remedy: name the file with the right password in ANSIBLE_VAULT_PASSWORD_FILE"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (YAML, f'/i/a.yml: is no inventory: Invalid "hosts" entry for "all" group; {REMEDY}'),
        (
            BROKEN,
            f"/i/a.yml:2: is no inventory: YAML parsing failed: Tabs are invalid; {REMEDY}",
        ),
        (INI, f"/i/hosts: is no inventory: No value: x; {REMEDY}"),
        (OLD, f"/i/a.yml: is no inventory: We were unable to read it; {REMEDY}"),
        (
            "[ERROR]: Completely failed to parse inventory source /i",
            "/i: holds no inventory; remedy: write one, or give another path with -i",
        ),
        (
            "[WARNING]: x\n[ERROR]: no vault secrets found.",
            f"the inventory cannot be read: no vault secrets found; {VAULT}",
        ),
        ("one\n\n two \nthree\nfour\n", "the inventory cannot be read: two three four"),
        ("", "ansible-inventory failed without a message"),
    ],
)
def test_the_reason_of_the_plugin_that_the_file_is_for_is_told(said: str, expected: str) -> None:
    assert complaints.refusal(said) == expected


def test_keys_that_ansible_skips_are_named_with_their_group() -> None:
    said = """\
[WARNING]: Skipping unexpected key (host) in group (mons), only "vars", "children" and
"hosts" are valid
"""
    assert complaints.skipped(said) == (
        "the inventory has keys that Ansible skips: host in group mons; "
        "remedy: a group has only vars, children and hosts: correct or remove the others"
    )
    assert not complaints.skipped("[WARNING]: something else")
