"""What a step says of settings, modules and the dashboard, as roles take it."""

from orchestrator.ansible import settings
from orchestrator.model.names import OsdId
from orchestrator.model.plan import (
    ConfigOption,
    ConfigSetting,
    ConfigStep,
    DashboardSetup,
    MgrStep,
    ModuleSetting,
    MonStep,
    SecretKey,
    Service,
    User,
)

BASE = {"changes": (), "fsid": None, "mons": (), "admin_host": "store-a"}
PLAIN = ConfigSetting(section="osd", name="x", value="1")


def test_a_step_without_wishes_says_nothing_more():
    assert settings.of_config(ConfigStep(**BASE)) == {
        "config_settings": [],
        "config_removed_users": [],
    }
    assert settings.of_mgrs(MgrStep(**BASE, targets=(), modules=())) == {
        "mgr_modules": [],
        "mgr_active_timeout": 0,
    }


def test_secrets_go_where_nothing_is_shown():
    named = ConfigSetting(
        section="osd", name="y", value="sha256:1", secret=SecretKey(name="n", key="k")
    )
    told = ConfigSetting(section="client", name="smtp_password", value="hunter2")
    found = settings.of_config(ConfigStep(**BASE, settings=(PLAIN, named, told)))

    assert found["config_settings"] == [{"section": "osd", "name": "x", "value": "1"}]
    assert found["config_secret_settings"] == [
        {"section": "osd", "name": "y", "secret": {"name": "n", "key": "k"}},
        {"section": "client", "name": "smtp_password", "value": "hunter2"},
    ]


def test_everything_else_of_a_config_step():
    option = ConfigOption(section="osd", name="z")
    step = ConfigStep(
        **BASE,
        removed=(option,),
        released=(option,),
        mutes=("OSD_DOWN",),
        unmutes=("SLOW_OPS",),
        users=(User(entity="osd.1", caps={"osd": "allow *"}),),
        restarts=("dashboard",),
        full_ratios={"full": 0.96},
        osd_release="tentacle",
        device_classes={OsdId(3): "ssd"},
        weights={OsdId(3): 1.8},
    )
    plain = {"section": "osd", "name": "z"}

    assert settings.of_config(step) == {
        "config_settings": [],
        "config_removed_users": [],
        "config_removed": [plain],
        "config_released": [plain],
        "config_muted": ["OSD_DOWN"],
        "config_unmuted": ["SLOW_OPS"],
        "config_full_ratios": {"full": 0.96},
        "config_osd_release": "tentacle",
        "config_osd_classes": [{"id": 3, "device_class": "ssd"}],
        "config_osd_weights": [{"id": 3, "weight": "1.8"}],
        "config_users": [{"entity": "osd.1", "caps": {"osd": "allow *"}}],
        "config_restarted_modules": ["dashboard"],
    }


def test_what_nobody_keeps_comes_first_in_a_new_cluster():
    default = ConfigSetting(section="global", name="d", value="true", owned=False)

    step = MonStep(
        **BASE,
        targets=(),
        new_cluster=True,
        settings=(default, PLAIN),
        mutes=("OSD_DOWN",),
        full_ratios={"full": 0.96},
    )

    assert settings.of_new_cluster(step) == {
        "mon_initial_settings": [{"section": "global", "name": "d", "value": "true"}],
        "config_settings": [{"section": "osd", "name": "x", "value": "1"}],
        "config_muted": ["OSD_DOWN"],
        "config_full_ratios": {"full": 0.96},
    }


def test_modules_and_the_dashboard():
    step = MgrStep(
        **BASE,
        targets=(),
        modules=(ModuleSetting(name="dashboard", enabled=True, serves=Service(port=8443)),),
        dashboard=DashboardSetup(certificate=False),
    )

    assert settings.of_mgrs(step) == {
        "mgr_modules": [{"name": "dashboard", "enabled": True, "serves": {"port": 8443}}],
        "mgr_active_timeout": 0,
        "mgr_dashboard": {"certificate": False},
    }
