"""Recipes of images, and which images are kept."""

import dataclasses
from types import SimpleNamespace

import pytest

from lab import images


@pytest.fixture
def recipe():
    return images.recipe("forky")


def test_the_hash_is_stable(recipe):
    assert recipe.hash == images.recipe("forky").hash


@pytest.mark.parametrize(
    "change", [{"packages": ("ceph-mon",)}, {"suite": "sid"}, {"mirror": "http://x"}, {"setup": ""}]
)
def test_whatever_changes_the_image_changes_its_name(recipe, change):
    assert dataclasses.replace(recipe, **change).image != recipe.image


def test_the_hash_does_not_depend_on_where_the_project_lies(recipe, monkeypatch, tmp_path):
    moved = tmp_path / images.SETUP.name
    moved.write_text(images.SETUP.read_text())
    monkeypatch.setattr(images, "SETUP", moved)

    assert images.recipe("forky").hash == recipe.hash


def test_ceph_volume_is_a_package_of_its_own_since_ceph_17():
    assert "ceph-volume" in images.recipe("trixie").packages
    assert "ceph-volume" not in images.recipe("bookworm").packages


def test_the_dashboard_is_there_where_it_breaks_no_other_module():
    assert "ceph-mgr-dashboard" in images.recipe("forky").packages
    assert "ceph-mgr-dashboard" not in images.recipe("bookworm").packages


def test_the_cache_follows_the_users_choice(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert images.cache_dir() == tmp_path / "ceph-orchestrator" / "images"


def test_an_image_that_is_there_is_not_made_again(monkeypatch):
    calls = []

    def attempt(*words):
        calls.append(words)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(images.podman, "attempt", attempt)

    assert images.ensure("forky") == images.recipe("forky").image
    assert calls == [("image", "exists", images.recipe("forky").image)]


def test_outdated_images_go_and_current_ones_stay(monkeypatch):
    current, old = images.recipe("trixie").image, f"{images.REPOSITORY}:trixie-000000000000"
    removed = []
    monkeypatch.setattr(images.podman, "run", lambda *_words: f"{current}\n{old}\nalias:1\n")
    monkeypatch.setattr(images.podman, "attempt", lambda *words: removed.append(words))

    images.remove_outdated()

    assert set(removed) == {("rmi", old)}


def test_a_node_of_kubernetes_is_another_image_than_a_host_of_the_same_suite():
    node, host = images.node_recipe(), images.recipe(images.NODE_SUITE)
    assert "containerd" in node.packages
    assert node.repository != host.repository
    assert node.tarball_of("*") != host.tarball_of("*")
