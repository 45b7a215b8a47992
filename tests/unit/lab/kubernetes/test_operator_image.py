"""How the operator's image is built."""

from pathlib import Path

import yaml

from lab.kubernetes import operator_image


def test_the_version_is_read_from_the_wheel():
    assert operator_image.version("ceph_orchestrator-0.1.0-py3-none-any.whl") == "0.1.0"


def test_wheels_are_downloaded_for_the_python_of_the_image():
    words = operator_image.download_command(Path("w.whl"), "3.14", Path("out"))
    assert words[words.index("--python-version") + 1] == "3.14"
    assert "w.whl[kubernetes]" in words


def test_nothing_is_pulled_while_the_image_is_built():
    words = operator_image.build_command(Path("context"), "IMAGE", {"CEPH_IMAGE": "CEPH"})
    assert "--pull=never --network none" in " ".join(words)
    assert "--build-arg=CEPH_IMAGE=CEPH" in words
    assert words[-3:] == ["--tag", "IMAGE", "context"]


def test_ceph_has_the_name_that_the_example_has():
    example = operator_image.ROOT / "examples" / "cluster-kubernetes.yaml"
    (cluster,) = yaml.safe_load_all(example.read_text())
    assert cluster["spec"]["cephVersion"]["image"] == operator_image.CEPH
