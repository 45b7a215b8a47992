import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_conf

CONF = """\
# written by hand
[global]
fsid = 0a1b2c3d-1111-4222-8333-444455556666 ; ours
 mon host = 10.0.0.1,\\
    10.0.0.2
name = "quoted # value"

[osd]
; keep
osd-memory-target=939524096
"""


def test_names_comments_quotes_and_long_lines_are_read_as_ceph_does() -> None:
    parsed = ceph_conf.parse(CONF)
    assert parsed["global"]["fsid"] == "0a1b2c3d-1111-4222-8333-444455556666"
    assert parsed["global"]["mon_host"] == "10.0.0.1,10.0.0.2"
    assert parsed["osd"] == {"osd_memory_target": "939524096"}


def test_a_hash_ends_a_value() -> None:
    assert ceph_conf.parse("[global]\nfsid = x # note\n")["global"]["fsid"] == "x"


def test_the_last_of_several_wins() -> None:
    assert ceph_conf.parse("[a]\nx=1\n[a]\nx=2\n") == {"a": {"x": "2"}}


def test_an_edit_that_changes_nothing_keeps_every_byte() -> None:
    same = {"global": {"mon_host": "10.0.0.1,10.0.0.2"}, "osd": {"osd_memory_target": "939524096"}}
    assert ceph_conf.edit(CONF, same) == CONF


def test_a_changed_value_replaces_its_line_alone() -> None:
    edited = ceph_conf.edit(CONF, {"global": {"mon host": "10.0.0.9"}})
    assert "mon_host = 10.0.0.9\n" in edited
    assert "10.0.0.2" not in edited
    assert edited.replace("mon_host = 10.0.0.9\n", "") == CONF.replace(
        " mon host = 10.0.0.1,\\\n    10.0.0.2\n", ""
    )


def test_missing_options_go_to_the_end_of_their_section() -> None:
    edited = ceph_conf.edit(CONF, {"global": {"public_network": "10.0.0.0/24"}, "mon": {"x": "1"}})
    assert 'value"\npublic_network = 10.0.0.0/24\n\n[osd]' in edited
    assert edited.endswith("\n\n[mon]\nx = 1\n")


def test_none_removes_an_option() -> None:
    edited = ceph_conf.edit(CONF, {"osd": {"osd_memory_target": None, "never_there": None}})
    assert ceph_conf.parse(edited)["osd"] == {}
    assert "; keep\n" in edited


@pytest.mark.parametrize("text", ["", "[global]", "[global]\nfsid = y"])
def test_any_start_ends_with_the_wanted_value(text: str) -> None:
    edited = ceph_conf.edit(text, {"global": {"fsid": "z"}})
    assert ceph_conf.parse(edited) == {"global": {"fsid": "z"}}
    assert ceph_conf.edit(edited, {"global": {"fsid": "z"}}) == edited
    assert edited.endswith("\n")


def test_settings_go_and_what_others_wrote_stays() -> None:
    ours = "[mon.a]\npublic_addr = 1\n\n"
    text = f"[global]\nfsid = x\n\n{ours}[mon.b]\npublic addr = 2\ndebug_mon = 5\n"
    found = ceph_conf.without(text, {"mon.a": ["public_addr"], "mon.b": ["public_addr"]})
    assert found == "[global]\nfsid = x\n\n[mon.b]\ndebug_mon = 5\n"


def test_a_file_without_the_settings_stays_byte_for_byte() -> None:
    assert ceph_conf.without("[mon.a]\n\n[global]\n", {"mon.a": ["public_addr"]}) == (
        "[mon.a]\n\n[global]\n"
    )
