"""What counts as a change of the watched files."""

import pytest

from orchestrator.watching.sight import fingerprint


@pytest.fixture
def inventory(tmp_path):
    path = tmp_path / "hosts.yml"
    path.write_text("all:")
    return path


def test_the_same_content_is_the_same(inventory):
    before = fingerprint((inventory,))
    inventory.write_text("all:")
    assert fingerprint((inventory,)) == before


def test_another_content_is_another(inventory):
    before = fingerprint((inventory,))
    inventory.write_text("all: {}")
    assert fingerprint((inventory,)) != before


@pytest.mark.parametrize("name", ["group_vars/all.yml", "host_vars/store-1/secret.yml"])
def test_variables_beside_an_inventory_count(inventory, tmp_path, name):
    before = fingerprint((inventory,))
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("a: 1")
    assert fingerprint((inventory,)) != before


def test_other_files_beside_it_do_not(inventory, tmp_path):
    before = fingerprint((inventory,))
    (tmp_path / "notes.txt").write_text("x")
    assert fingerprint((inventory,)) == before


def test_every_file_of_a_folder_counts(tmp_path):
    before = fingerprint((tmp_path,))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "hosts").write_text("store-1")
    changed = fingerprint((tmp_path,))
    (tmp_path / "deep" / "hosts").rename(tmp_path / "deep" / "others")
    assert len({before, changed, fingerprint((tmp_path,))}) == 3


def test_a_file_that_is_gone_is_a_change_and_no_error(inventory):
    before = fingerprint((inventory,))
    inventory.unlink()
    assert fingerprint((inventory,)) != before
