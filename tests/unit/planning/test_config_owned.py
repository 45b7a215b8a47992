"""What is ours in the mon store and leaves the manifest goes; what is not stays (WISHES 18)."""

import pytest

from orchestrator import planning
from orchestrator.model.facts import Mgr, MgrModules, Owned, OwnedSecret, Setting
from orchestrator.model.plan import SecretKey
from orchestrator.planning import config
from tests.fakes import facts
from tests.fakes.mon_store import digest

SECRETS = {"dns": {"password": digest("hunter2")}}
FROM_SECRET = {"client": {"rgw_dns": {"name": "dns", "key": "password"}}}


def setting(section, name, value, mask=""):
    return Setting(section=section, name=name, value=value, mask=mask)


def seen(*present, owned=None, secrets=None, **view):
    found = facts.changed(
        facts.healthy(), cluster=facts.view(config=present, owned=owned or Owned(), **view)
    )
    host = found.hosts["store-a"]
    with_secrets = facts.host(
        "store-a", daemons=host.daemons, conf=host.conf, secrets=secrets or {}
    )
    return facts.changed(found, with_secrets, cluster=found.cluster)


def lines(found, **spec):
    steps = config.steps(facts.context(found, **spec))
    return [f"{one.action} {one.subject}: {one.reason}" for step in steps for one in step.changes]


def ours(**names):
    return Owned(settings={"osd": names})


def test_an_option_of_ours_that_left_the_manifest_is_unset():
    found = seen(setting("osd", "osd_max_backfills", "3"), owned=ours(osd_max_backfills="3"))

    (step,) = config.steps(facts.context(found))

    assert [(one.section, one.name) for one in step.removed] == [("osd", "osd_max_backfills")]
    assert lines(found) == [
        "unset config osd/osd_max_backfills: it is 3, and the manifest that set it no longer does"
    ]


def test_it_is_known_for_ours_in_ceph_s_own_form():
    found = seen(
        setting("osd", "osd_memory_target", "4294967296"), owned=ours(osd_memory_target="4Gi")
    )

    assert [line.split(":")[0] for line in lines(found)] == ["unset config osd/osd_memory_target"]


@pytest.mark.parametrize(
    ("present", "words"),
    [
        ([setting("osd", "x", "9")], "it is now 9 by somebody else, and stays so"),
        ([setting("osd", "x", "")], "it is now empty by somebody else, and stays so"),
        ([], "it is not set"),
    ],
)
def test_what_somebody_changed_since_stays_and_is_no_longer_ours(present, words):
    found = seen(*present, owned=ours(x="3"))

    (step,) = config.steps(facts.context(found))

    assert step.removed == ()
    assert [(one.section, one.name) for one in step.released] == [("osd", "x")]
    assert lines(found) == [f"release config osd/x: {words}; it is no longer taken for ours"]


def test_options_of_others_stay():
    assert lines(seen(setting("osd", "osd_max_backfills", "3"))) == []


def test_a_mask_and_another_order_of_its_parts_are_the_same_option():
    found = seen(
        setting("osd", "osd_max_backfills", "2", mask="rack:r1/class:ssd"),
        owned=Owned(settings={"osd/rack:r1/class:ssd": {"osd_max_backfills": "2"}}),
    )

    assert lines(found, cephConfig={"osd/class:ssd/rack:r1": {"osd max-backfills": "2"}}) == []
    assert lines(found) == [
        (
            "unset config osd/rack:r1/class:ssd/osd_max_backfills: it is 2, "
            "and the manifest that set it no longer does"
        )
    ]


def test_a_secret_is_set_by_its_name_and_shown_by_its_hash():
    found = seen(secrets=SECRETS)

    (step,) = config.steps(facts.context(found, cephConfigFromSecret=FROM_SECRET))

    (one,) = step.settings
    assert one.secret == SecretKey(name="dns", key="password")
    assert "hunter2" not in repr(step)
    assert step.changes[0].reason == f"{digest('hunter2')[:19]} instead of nothing"


@pytest.mark.parametrize(
    ("value", "given", "stored", "same"),
    [
        ("hunter2", None, None, True),
        ("hunter3", None, None, False),
        ("4294967296", "hunter2", "4294967296", True),
        ("4294967296", "hunter3", "4294967296", False),
    ],
    ids=["equal", "other", "stored in another form", "another was given"],
)
def test_secrets_are_compared_by_digests(value, given, stored, same):
    kept = OwnedSecret(given=digest(given), stored=digest(stored)) if given else None
    owned = Owned(secrets={"client": {"rgw_dns": kept}}) if kept else Owned()
    found = seen(setting("client", "rgw_dns", digest(value)), owned=owned, secrets=SECRETS)

    assert (lines(found, cephConfigFromSecret=FROM_SECRET) == []) is same


def test_a_secret_that_is_not_there_is_named_and_what_was_set_stays():
    owned = Owned(secrets={"client": {"rgw_dns": OwnedSecret(given="sha256:1", stored="sha256:1")}})
    found = seen(setting("client", "rgw_dns", "sha256:1"), owned=owned)

    assert lines(found, cephConfigFromSecret=FROM_SECRET) == []
    plan = planning.plan(facts.spec(mgr={"count": 2}, cephConfigFromSecret=FROM_SECRET), found)
    (reason,) = plan.blocked
    assert reason.code == "SecretMissing"
    assert "rgw_dns from the key password of dns" in reason.message


def test_an_optional_secret_that_is_not_there_is_not_asked_for():
    source = {"client": {"rgw_dns": {"name": "dns", "key": "password", "optional": True}}}
    owned = Owned(secrets={"client": {"rgw_dns": OwnedSecret(given="sha256:1", stored="sha256:1")}})
    found = seen(setting("client", "rgw_dns", "sha256:1"), owned=owned)

    assert list(config.blocked(facts.context(found, cephConfigFromSecret=source))) == []
    assert [line.split(":")[0] for line in lines(found, cephConfigFromSecret=source)] == [
        "unset config client/rgw_dns"
    ]


def test_ceph_config_wins_over_a_secret_as_in_rook():
    found = seen(secrets=SECRETS)
    spec = {"cephConfig": {"client": {"rgw_dns": "x"}}, "cephConfigFromSecret": FROM_SECRET}

    (step,) = config.steps(facts.context(found, **spec))

    assert [(one.value, one.secret) for one in step.settings] == [("x", None)]


def test_a_new_cluster_gets_its_secrets_in_a_step_after_its_mons():
    found = facts.changed(
        facts.empty("store-a"), facts.host("store-a", secrets=SECRETS), cluster=None
    )
    plain = {"client": {"rgw_keystone_admin_password": "x", "rgw_cache_enabled": "true"}}
    context = facts.context(found, cephConfig=plain, cephConfigFromSecret=FROM_SECRET)

    (step,) = config.steps(context)

    assert [one.name for one in step.settings] == ["rgw_dns", "rgw_keystone_admin_password"]
    first = [one.name for one in config.for_new_cluster(context.spec) if one.owned]
    assert first == ["rgw_cache_enabled"]


def test_a_module_that_runs_is_restarted_for_its_options_and_no_other():
    modules = MgrModules(enabled=("prometheus", "dashboard"))
    spec = {"monitoring": {"port": 9999}}

    (step,) = config.steps(facts.context(seen(mgr_modules=modules), **spec))

    assert step.restarts == ("prometheus",)
    assert [one.subject for one in step.changes] == [
        "config mgr/mgr/prometheus/server_port",
        "mgr module prometheus",
    ]
    (calm,) = config.steps(facts.context(seen(mgr=Mgr(), mgr_modules=modules), **spec))
    assert calm.restarts == ()
