import errno
import json

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_health_mute


def muted(ceph, *codes, record=None, sticky=True):
    ceph.answers["status"] = {
        "health": {"status": "HEALTH_OK", "mutes": [{"code": c, "sticky": sticky} for c in codes]}
    }
    ceph.answers["config-key get"] = record or CephError(errno.ENOENT, "no such key")


def told(ceph):
    return [
        json.loads(arguments["inbuf"])["mutes"] if "inbuf" in arguments else (prefix, arguments)
        for prefix, arguments in ceph.changes()
    ]


def test_a_mute_is_sticky_and_recorded_before_it_is_made(run, ceph) -> None:
    muted(ceph)
    assert run(ceph_health_mute, muted=["OSD_DOWN"])["muted"] == ["OSD_DOWN"]
    assert told(ceph) == [["OSD_DOWN"], ("health mute", {"code": "OSD_DOWN", "sticky": True})]


def test_what_others_muted_for_good_stays_theirs(run, ceph) -> None:
    muted(ceph, "OSD_DOWN")
    assert run(ceph_health_mute, muted=["OSD_DOWN"])["changed"] is False
    assert told(ceph) == []


def test_a_mute_that_would_end_by_itself_is_made_to_stay(run, ceph) -> None:
    muted(ceph, "OSD_DOWN", sticky=False)
    assert run(ceph_health_mute, muted=["OSD_DOWN"])["muted"] == ["OSD_DOWN"]


def test_an_unmuted_one_leaves_the_record(run, ceph) -> None:
    muted(ceph, "OSD_DOWN", "OSDMAP_FLAGS", record={"mutes": ["OSD_DOWN", "SLOW_OPS"]})
    result = run(ceph_health_mute, unmuted=["OSD_DOWN", "SLOW_OPS"])
    assert result["unmuted"] == ["OSD_DOWN"]
    assert told(ceph) == [("health unmute", {"code": "OSD_DOWN"}), []]


def test_the_rest_of_the_record_stays(run, ceph) -> None:
    muted(ceph, record={"settings": {"osd": {"x": "1"}}, "secrets": {}, "mutes": []})
    run(ceph_health_mute, muted=["OSD_DOWN"])
    (written,) = [json.loads(a["inbuf"]) for _, a in ceph.changes() if "inbuf" in a]
    assert written["settings"] == {"osd": {"x": "1"}}


def test_check_mode(run, ceph) -> None:
    muted(ceph)
    assert run(ceph_health_mute, check=True, muted=["OSD_DOWN"])["changed"]
    assert ceph.changes() == []


def test_a_refusal_is_told(run, ceph) -> None:
    muted(ceph)
    ceph.answers["health mute"] = CephError(errno.EACCES, "access denied")
    assert run(ceph_health_mute, muted=["OSD_DOWN"])["msg"] == "access denied"


def test_a_refused_mute_is_not_ours_and_those_that_were_made_are(run, ceph) -> None:
    made = []

    def mute(code, sticky):
        if code == "SLOW_OPS":
            raise CephError(errno.EINVAL, "no such check")
        made.append({"code": code, "sticky": sticky})

    muted(ceph, record={"mutes": ["OSDMAP_FLAGS"]})
    ceph.answers["health mute"] = mute
    ceph.answers["status"] = lambda: {"health": {"mutes": made}}
    assert run(ceph_health_mute, muted=["OSD_DOWN", "SLOW_OPS"])["msg"] == "no such check"
    records = [one for one in told(ceph) if isinstance(one, list)]
    assert records == [["OSDMAP_FLAGS", "OSD_DOWN", "SLOW_OPS"], ["OSDMAP_FLAGS", "OSD_DOWN"]]


def test_a_mute_that_may_have_been_made_stays_claimed(run, ceph) -> None:
    muted(ceph)
    ceph.answers["health mute"] = CephError(errno.ETIMEDOUT, "no answer")
    run(ceph_health_mute, muted=["OSD_DOWN"])
    assert [one for one in told(ceph) if isinstance(one, list)] == [["OSD_DOWN"]]
