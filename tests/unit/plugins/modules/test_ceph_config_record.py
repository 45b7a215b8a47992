"""What the module writes down in the cluster of what it sets there."""

import errno
import json

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import owned
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_config

MARKER = "hunter2-4711"


class Store:
    """A configuration database and a key-value store that remember."""

    def __init__(self, ceph, values=None, record=None) -> None:
        self.ceph = ceph
        self.values = dict(values or {})
        self.record = record
        self.told: list[str] = []
        ceph.answers |= {
            "config dump": lambda: [
                {"section": section, "mask": "", "name": name, "value": value}
                for (section, name), value in self.values.items()
            ],
            "config set": self.set,
            "config rm": self.remove,
            "config-key get": self.get,
            "config-key set": self.put,
        }

    def set(self, who, name, value):
        self.told.append(f"set {name}")
        self.values[who, name] = "4294967296" if value == "4Gi" else value

    def remove(self, who, name):
        self.told.append(f"rm {name}")
        self.values.pop((who, name), None)

    def get(self, key):
        if self.record is None:
            raise CephError(errno.ENOENT, "no such key")
        return json.loads(json.dumps(self.record))

    def put(self, key, inbuf):
        assert key == "ceph-orchestrator/config"
        self.told.append("record")
        self.record = json.loads(inbuf)


def wanted(name, value, **more):
    return {"section": "osd", "name": name, "value": value, **more}


def test_what_is_set_is_recorded_before_it_is_set(run, ceph) -> None:
    store = Store(ceph)
    result = run(ceph_config, record=True, settings=[wanted("osd_memory_target", "4Gi")])
    assert result["changed"]
    assert store.told == ["record", "set osd_memory_target"]
    assert store.record["settings"] == {"osd": {"osd_memory_target": "4Gi"}}


def test_what_others_had_set_alike_does_not_become_ours(run, ceph) -> None:
    store = Store(ceph, {("osd", "x"): "1"})
    assert run(ceph_config, record=True, settings=[wanted("x", "1")])["changed"] is False
    assert (store.told, store.record) == ([], None)


def test_a_default_of_a_new_cluster_is_not_ours(run, ceph) -> None:
    store = Store(ceph)
    run(ceph_config, record=True, settings=[wanted("x", "1", owned=False)])
    assert (store.told, store.record) == (["set x"], None)


def test_what_is_removed_leaves_the_record_last(run, ceph) -> None:
    record = {"settings": {"osd": {"x": "1", "y": "2"}}, "secrets": {}, "mutes": ["OSD_DOWN"]}
    store = Store(ceph, {("osd", "x"): "1"}, record)
    gone = {"section": "osd", "name": "x", "state": "absent"}
    assert run(ceph_config, record=True, settings=[gone])["removed"]
    assert store.told == ["rm x", "record"]
    assert store.record == {**record, "settings": {"osd": {"y": "2"}}}


def test_what_is_released_stays_as_it_is(run, ceph) -> None:
    store = Store(ceph, {("osd", "x"): "9"}, {"settings": {"osd": {"x": "1"}}})
    left = {"section": "osd", "name": "x", "state": "released"}
    assert run(ceph_config, record=True, settings=[left])["changed"]
    assert store.values == {("osd", "x"): "9"}
    assert store.record["settings"] == {}


def test_a_secret_is_nowhere_but_in_the_cluster(run, ceph) -> None:
    store = Store(ceph)
    result = run(ceph_config, record=True, settings=[wanted("x", MARKER, secret=True)])
    assert store.values == {("osd", "x"): MARKER}
    assert MARKER not in json.dumps([result, store.record])
    digest = owned.digest(MARKER)
    assert store.record["secrets"] == {"osd": {"x": {"given": digest, "stored": digest}}}


SECRET = {"given": owned.digest(MARKER), "stored": owned.digest(MARKER)}
KEPT = {"secrets": {"osd": {"x": SECRET}}}
SMTP = "mgr/alerts/smtp_password"


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    "case",
    [
        ("x", KEPT, {"state": "absent"}),
        ("x", KEPT, {"value": "plain"}),
        (SMTP, None, {"state": "absent"}),
        (SMTP, {"settings": {"osd": {SMTP: MARKER}}}, {"state": "absent"}),
        (SMTP, None, {"value": "another"}),
    ],
    ids=["goes", "becomes plain", "by its name", "was plain", "was of others"],
)
def test_c55_a_secret_that_was_there_is_not_shown(run, ceph, check, case) -> None:
    name, record, wish = case
    store = Store(ceph, {("osd", name): MARKER}, record)
    setting = {"section": "osd", "name": name, **wish}
    result = run(ceph_config, record=True, settings=[setting], check=check)
    assert result["changed"]
    assert MARKER not in json.dumps(result)
    assert result["diff"]["before"] == {f"osd {name}": owned.digest(MARKER)}
    assert check or store.values.get(("osd", name)) == wish.get("value")


def test_a_secret_is_recorded_as_the_cluster_writes_it(run, ceph) -> None:
    store = Store(ceph)
    run(ceph_config, record=True, settings=[wanted("x", "4Gi", secret=True)])
    kept = {"given": owned.digest("4Gi"), "stored": owned.digest("4294967296")}
    assert store.record["secrets"] == {"osd": {"x": kept}}
    told = len(store.told)
    assert run(ceph_config, record=True, settings=[wanted("x", "4Gi", secret=True)])
    assert [one for one in store.told[told:] if one != "record"] == []


def test_a_refused_secret_is_not_in_the_message(run, ceph) -> None:
    Store(ceph)
    ceph.answers["config set"] = CephError(errno.EINVAL, f"cannot parse '{MARKER}'")
    result = run(ceph_config, record=True, settings=[wanted("x", MARKER, secret=True)])
    assert result["msg"] == "x of osd: cannot parse '********'"


def failing(store, number=errno.EINVAL, text="unrecognized config option 'x'"):
    """Ceph, which sets everything but x."""

    def set_all_but_x(who, name, value):
        if name == "x":
            raise CephError(number, text)
        store.set(who, name, value)

    store.ceph.answers["config set"] = set_all_but_x
    return store


def test_one_refused_setting_keeps_no_other_from_being_set(run, ceph) -> None:
    store = failing(Store(ceph))
    result = run(ceph_config, record=True, settings=[wanted("x", "1"), wanted("y", "2")])
    assert result["msg"] == "x of osd: unrecognized config option 'x'"
    assert store.values == {("osd", "y"): "2"}


@pytest.mark.parametrize("secret", [False, True])
def test_what_was_refused_is_not_ours(run, ceph, secret) -> None:
    store = failing(Store(ceph))
    refused = wanted("x", "1", secret=secret)
    run(ceph_config, record=True, settings=[refused, wanted("y", "2")])
    assert store.told == ["record", "set y", "record"]
    assert store.record == {"mutes": [], "secrets": {}, "settings": {"osd": {"y": "2"}}}


@pytest.mark.parametrize("secret", [False, True])
def test_a_value_that_somebody_has_set_does_not_become_ours_by_a_refusal(run, ceph, secret) -> None:
    store = failing(Store(ceph, {("osd", "x"): "7"}))
    run(ceph_config, record=True, settings=[wanted("x", "1", secret=secret)])
    assert store.record == {"mutes": [], "secrets": {}, "settings": {}}


@pytest.mark.parametrize("kind", ["settings", "secrets"])
def test_a_value_of_ours_that_a_refusal_leaves_stays_ours(run, ceph, kind) -> None:
    digest = owned.digest("7")
    kept = "7" if kind == "settings" else {"given": digest, "stored": digest}
    record = {"mutes": [], "secrets": {}, "settings": {}, kind: {"osd": {"x": kept}}}
    store = failing(Store(ceph, {("osd", "x"): "7"}, record))
    refused = wanted("x", "1", secret=kind == "secrets")
    run(ceph_config, record=True, settings=[refused])
    assert store.record == record


def test_a_claim_of_a_run_that_was_cut_off_goes_with_the_refusal(run, ceph) -> None:
    store = failing(Store(ceph, {}, {"settings": {"osd": {"x": "1"}}}))
    run(ceph_config, record=True, settings=[wanted("x", "1")])
    assert store.record["settings"] == {}


def test_what_may_have_been_set_stays_claimed(run, ceph) -> None:
    store = failing(Store(ceph), errno.ETIMEDOUT, "the cluster did not answer in time")
    run(ceph_config, record=True, settings=[wanted("x", "1")])
    assert store.record["settings"] == {"osd": {"x": "1"}}


def test_an_option_of_a_module_is_forced_before_a_mgr_told_of_it(run, ceph) -> None:
    store = Store(ceph)
    name = "mgr/dashboard/ssl"

    def refuse(who, name, value, *, force=False):
        if not force:
            raise CephError(errno.EINVAL, f"unrecognized config option '{name}'")
        store.set(who, name, value)

    ceph.answers["config set"] = refuse
    run(ceph_config, settings=[{"section": "mgr", "name": name, "value": True}])
    assert store.values == {("mgr", name): "true"}


def test_check_mode_writes_no_record(run, ceph) -> None:
    store = Store(ceph, {}, {"settings": {"osd": {"y": "1"}}})
    left = {"section": "osd", "name": "y", "state": "released"}
    assert run(ceph_config, check=True, record=True, settings=[wanted("x", "1"), left])["changed"]
    assert store.told == []


@pytest.mark.parametrize("damaged", ["text", [], {"settings": [1], "mutes": 3, "secrets": "x"}])
def test_a_damaged_record_counts_as_none(damaged) -> None:
    assert owned.Owned(damaged).document() == {"mutes": [], "secrets": {}, "settings": {}}
