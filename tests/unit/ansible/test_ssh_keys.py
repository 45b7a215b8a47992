"""Keys that ssh would refuse are copied in order, and a passphrase is refused at once (C55)."""

import stat
import subprocess

import pytest

from orchestrator.ansible.ssh_keys import KeyRefusedError, replaced, with_keys

AGENT = {"SSH_AUTH_SOCK": "/run/agent"}


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A good key and one with a passphrase, as ssh-keygen writes them."""
    folder = tmp_path_factory.mktemp("keys")
    for name, phrase in (("good", ""), ("protected", "a phrase")):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", str(folder / name)]
        subprocess.run(command, check=True)
    return folder


def taken(path, environment=None):
    return replaced(
        {"a": {"ansible_ssh_private_key_file": str(path)}}, path.parent, environment or {}
    )


def written(path, data, mode=0o600):
    path.write_bytes(data)
    path.chmod(mode)
    return path


def test_a_good_key_is_used_where_it_lies(keys):
    assert taken(keys / "good") == {}


@pytest.mark.parametrize(
    ("change", "mode"),
    [
        (lambda text: text.rstrip(b"\n"), 0o600),
        (lambda text: text.replace(b"\n", b"\r\n"), 0o600),
        (lambda text: text, 0o640),
    ],
    ids=["A: no last newline", "B: line ends of Windows", "D: readable by a group"],
)
def test_c55_a_key_that_ssh_refuses_is_copied_in_order(keys, tmp_path, change, mode):
    good = (keys / "good").read_bytes()
    source = written(tmp_path / "key", change(good), mode)

    overlay = with_keys(tmp_path, None, taken(source))

    copy = overlay["all"]["hosts"]["a"]["ansible_ssh_private_key_file"]
    assert subprocess.run(["ssh-keygen", "-y", "-f", copy], check=False, capture_output=True).stdout
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "keys" / "0").stat().st_mode) == 0o600
    assert source.read_bytes() == change(good)
    assert stat.S_IMODE(source.stat().st_mode) == mode


def test_c55_a_passphrase_is_refused_at_once_unless_an_agent_may_know_it(keys):
    with pytest.raises(KeyRefusedError, match="protected by a passphrase; load it into ssh-agent"):
        taken(keys / "protected")
    assert taken(keys / "protected", AGENT) == {}


@pytest.mark.parametrize("text", ["", "no key", "-----BEGIN X-----\n!\n-----END X-----\n"])
def test_what_is_no_key_of_a_known_form_is_left_to_ssh(tmp_path, text):
    assert taken(written(tmp_path / "key", text.encode())) == {}


def test_a_step_gets_copies_for_its_own_hosts_alone(tmp_path):
    overlay = {"all": {"hosts": {"a": {"x": 1}}, "children": {"ceph_targets": {"hosts": {}}}}}

    found = with_keys(tmp_path, overlay, {"a": "k", "b": "k"})

    assert set(found["all"]["hosts"]) == {"a"}
    assert found["all"]["hosts"]["a"]["x"] == 1
    assert found["all"]["children"] == overlay["all"]["children"]
    assert with_keys(tmp_path, overlay, {}) is overlay


def test_the_folder_of_the_inventory_is_known(keys):
    own = {"ansible_private_key_file": "{{ inventory_dir }}/protected"}

    with pytest.raises(KeyRefusedError):
        replaced({"a": own}, keys, {})
    assert replaced({"a": {"ansible_private_key_file": "{{ other }}/x"}, "b": {}}, keys, {}) == {}
