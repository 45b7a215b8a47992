"""Where the collection lies."""

from orchestrator.ansible import content


def test_a_clone_is_the_collection():
    assert (content.root() / "galaxy.yml").is_file()
    assert content.playbook("facts.yml") == content.root() / "playbooks" / "facts.yml"


def test_ansible_finds_the_collection_by_its_name(tmp_path):
    path = content.link_collection(tmp_path / "collections")

    linked = path / "ansible_collections" / "ceph_orchestrator" / "ceph"
    assert linked.resolve() == content.root()
