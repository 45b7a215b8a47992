"""Which images may be used, by what `ceph --version` says in them."""

import pytest

from orchestrator.ansible.kubernetes import versions

IMAGE = "quay.io/ceph/ceph:x"


@pytest.mark.parametrize(
    ("told", "allowed", "words"),
    [
        ("ceph version 20.2.4 (0123) tentacle (stable)", False, ""),
        ("ceph version 19.2.0 (0123) squid (stable)", False, ""),
        ("ceph version 19.1.9 (0123) squid (rc)", False, "19.2.0 is the oldest"),
        ("ceph version 18.2.7 (0123) reef (stable)", True, "19.2.0 is the oldest"),
        ("ceph version 21.0.0 (0123) umbrella (dev)", False, "20 is the newest"),
        ("ceph version 21.0.0 (0123) umbrella (dev)", True, ""),
        ("ErrImagePull no such image", False, "no version of Ceph can be read"),
        ("", False, "no answer"),
    ],
)
def test_rooks_rules_say_which_image_may_be_used(told, allowed, words):
    found = versions.trouble(told, IMAGE, allow_unsupported=allowed)
    assert words in found if words else found == ""


def test_the_job_is_rooks_and_stands_where_a_mon_could():
    cluster = {
        "metadata": {"name": "c", "namespace": "rook-ceph", "uid": "u"},
        "spec": {
            "cephVersion": {"image": IMAGE},
            "placement": {"mon": {"nodeAffinity": {"a": 1}, "podAntiAffinity": {"b": 2}}},
        },
    }
    job = versions.job(cluster)
    assert job["metadata"]["name"] == "rook-ceph-detect-version"
    pod = job["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == "rook-ceph-cmd-reporter"
    assert pod["affinity"] == {"nodeAffinity": {"a": 1}}
    assert pod["containers"][0]["image"] == IMAGE


class Told:
    """An API server that has one ConfigMap."""

    def __init__(self, **data):
        self.data = data

    def config_map(self, name):
        assert name == "rook-ceph-detect-version"
        return {"data": self.data} if self.data else None


def image(**data):
    cluster = {"spec": {"cephVersion": {"image": IMAGE}}}
    return versions.Detector(lambda: Told(**data), lambda: cluster, lambda: False).found()


def test_what_an_image_holds_is_remembered():
    told = "ceph version 20.2.4 (0123) tentacle (stable)"
    assert image(image=IMAGE, stdout=told, programs="ceph-crash") == versions.Image(
        version="20.2.4", programs=("ceph-crash",)
    )
    assert image(image=IMAGE, stdout=told) == versions.Image(version="20.2.4", programs=None)
    assert image(image="another", stdout=told, programs="") == versions.Image()
    assert image() == versions.Image()


def test_an_image_tells_which_programs_it_has():
    told = "ceph version 20.2.4 (0123) tentacle (stable)\nprogram ceph-crash\nprogram\n"
    assert versions.programs_of(told) == ("ceph-crash",)
    assert versions.version_of(told) == "20.2.4"


def test_the_note_has_cephs_own_line_alone():
    told = "a warning\nceph version 20.2.4 (0123) tentacle (stable)\nprogram ceph-crash\n"
    assert versions._line(told) == "ceph version 20.2.4 (0123) tentacle (stable)"


class Asking(Told):
    """An API server that makes a Job, and tells what was done with it in `said`."""

    def __init__(self, said, **data):
        super().__init__(**data)
        self.said = said

    def create_job(self, body, _seconds, _canceled):
        self.said.append(f"create {body['metadata']['name']}")

    def delete_job(self, name):
        self.said.append(f"delete {name}")

    def pods(self, _selector):
        ended = {"terminated": {"message": "ceph version 20.2.4 (0123) tentacle (stable)"}}
        return [{"metadata": {"name": "p"}, "status": {"containerStatuses": [{"state": ended}]}}]

    def delete_pod(self, _name): ...

    def put_config_map(self, _body): ...


def asked(**data):
    meta = {"namespace": "rook-ceph", "name": "c", "uid": "u"}
    cluster = {"metadata": meta, "spec": {"cephVersion": {"image": IMAGE}}}
    said = []
    api = Asking(said, **data)
    begun = lambda: said.append("told")  # noqa: E731
    assert versions.Detector(lambda: api, lambda: cluster, lambda: False, begun).trouble() == ""
    return said


def test_somebody_hears_of_it_before_an_image_is_asked_and_only_then():
    assert asked()[0] == "told"
    assert "create rook-ceph-detect-version" in asked()
    told = "ceph version 20.2.4 (0123) tentacle (stable)"
    assert asked(image=IMAGE, stdout=told, programs="") == []
