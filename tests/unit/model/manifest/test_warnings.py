"""What is accepted, but not in silence."""

import pytest

from tests.fakes.manifests import SPEC, STORAGE, parse, warnings


def test_nodes_beside_use_all_nodes_are_ignored_with_a_warning():
    text = STORAGE + "    useAllNodes: true\n    nodes:\n    - {name: a, config: null}\n"

    assert warnings(text) == [
        (
            "f.yaml:7: spec.storage.nodes: is ignored because storage.useAllNodes is true; "
            "remedy: set useAllNodes to false to use these nodes only"
        )
    ]


def test_unknown_fields_elsewhere_are_warned_about_and_ignored():
    text = SPEC + (
        "  notAField: 1\n"
        "  mon: {cuont: 5}\n"
        "  mgr: {modules: [{name: a, enabld: true}]}\n"
        "  dashboard: {storage: x}\n"
        "  storage: {useAllNodes: true}\n"
        "spce: {}\n"
    )

    assert warnings(text) == [
        (
            "f.yaml:5: spec.notAField: 1: is not a field of CephCluster: ignored; "
            "remedy: remove it, or correct its name"
        ),
        (
            "f.yaml:6: spec.mon.cuont: 5: is not a field of CephCluster: ignored; "
            "remedy: did you mean count?"
        ),
        (
            "f.yaml:7: spec.mgr.modules[0].enabld: true: is not a field of CephCluster: ignored; "
            "remedy: did you mean enabled?"
        ),
        (
            'f.yaml:8: spec.dashboard.storage: "x": is not a field of CephCluster: ignored; '
            "remedy: storage belongs under spec: correct the indentation"
        ),
        "f.yaml:10: spce: {}: is not a field of CephCluster: ignored; remedy: did you mean spec?",
    ]
    assert parse(text).cluster.spec.mgr.modules[0].enabled is False


def test_a_strange_key_of_settings_is_told_once():
    text = STORAGE + "    useAllNodes: true\n    config: {sizes: 1T, storeType: x}\n"

    assert warnings(text) == [
        (
            'f.yaml:7: spec.storage.config.sizes: "1T": is not a setting of OSDs: ignored; '
            "remedy: did you mean size?"
        ),
        (
            'f.yaml:7: spec.storage.config.storeType: "x": is not a setting of OSDs: ignored; '
            "remedy: remove it"
        ),
    ]


def test_a_mistyped_kind_of_daemon_is_told_once():
    text = SPEC + (
        "  placement: {mons: {tolerations: [{operator: Exists}]}, zebra: {}}\n"
        "  resources: {osds: {limits: {cpu: 1}}}\n"
        "  storage: {useAllNodes: true}\n"
    )

    assert warnings(text) == [
        ("f.yaml:5: spec.placement.mons: is no kind of daemon: ignored; remedy: did you mean mon?"),
        (
            "f.yaml:5: spec.placement.zebra: is no kind of daemon: ignored; remedy: use one of "
            "all, arbiter, cleanup, clusterMetadata, cmdreporter, crashcollector, dashboard, "
            "exporter, keyrotation, mds, mgr, mon, monitoring, osd, prepareosd, rgw"
        ),
        ("f.yaml:6: spec.resources.osds: is no kind of daemon: ignored; remedy: did you mean osd?"),
    ]


def test_labels_that_placements_select_by_have_an_effect_on_hosts():
    text = SPEC + (
        "  labels: {all: {a: b}, mgr: {c: d}, exporter: {e: f}}\n  storage: {useAllNodes: true}\n"
    )

    assert warnings(text) == ["f.yaml:5: this release does not act on: spec.labels.exporter"]


WARNED = [
    ("  mon: {count: 4}\n", "spec.mon.count: 4: is even: 4 mons survive no more failures than 3"),
    (
        "  storage: {useAllNodes: true, devices: [{name: '^sd[b-h]'}]}\n",
        (
            'spec.storage.devices[0].name: "^sd[b-h]": looks like a pattern, but a device\'s name '
            "is "
            "taken literally; remedy: use deviceFilter for a pattern"
        ),
    ),
    (
        "  storage: {useAllNodes: true, deviceFilter: /dev/sdb}\n",
        'spec.storage.deviceFilter: "/dev/sdb": holds a slash',
    ),
    ("  storage: {deviceFilter: sdb}\n", "spec.storage: selects no node, so no OSD is made"),
    (
        "  storage: {useAllNodes: true, config: {storeType: bluestore}}\n",
        'spec.storage.config.storeType: "bluestore": is not a setting of OSDs: ignored',
    ),
]


@pytest.mark.parametrize(("spec", "warning"), WARNED)
def test_what_works_but_perhaps_not_as_meant_is_warned_about(spec, warning):
    assert any(found.startswith(f"f.yaml:5: {warning}") for found in warnings(SPEC + spec))


@pytest.mark.parametrize(
    "name", ["sdb", "/dev/disk/by-id/nvme-EXAMPLE_0001", "/dev/disk/by-path/pci-0000:00:1f.2-ata-1"]
)
def test_names_and_links_do_not_look_like_patterns(name):
    text = SPEC + f"  storage: {{useAllNodes: true, devices: [{{name: '{name}'}}]}}\n"

    assert warnings(text) == []


def test_selectors_of_devices_are_settings_where_they_narrow_and_nowhere_else():
    config = "{size: '1T:', model: ST, vendor: SEAGATE, rotational: '1', limit: '3'}"
    text = STORAGE + (
        "    useAllNodes: true\n"
        f"    config: {config}\n"
        "    devices:\n"
        "    - {name: sdb, config: {size: 1T}}\n"
    )

    assert warnings(text)[0] == (
        'f.yaml:9: spec.storage.devices[0].config.size: "1T": selects devices in storage.config '
        "and in the config of nodes only: ignored; remedy: move it there"
    )
    assert not any("spec.storage.config" in warning for warning in warnings(text))


USED = "    useAllNodes: true\n"
BACKFILLS = "  cephConfig: {osd: {osd_max_backfills: '3'%s}}\n"


def test_a_limit_that_the_scheduler_of_osds_takes_back_is_warned_of():
    assert warnings(STORAGE + USED + BACKFILLS % "") == [
        (
            'f.yaml:7: spec.cephConfig.osd.osd_max_backfills: "3": is taken back by OSDs of Ceph '
            "17 and later, whose scheduler sets it itself; remedy: set "
            'osd_mclock_override_recovery_settings: "true" beside it, or leave it out'
        )
    ]


@pytest.mark.parametrize(
    "more", [", osd_mclock_override_recovery_settings: 'true'", ", osd_op_queue: wpq"]
)
def test_a_limit_that_osds_keep_is_taken_without_a_word(more):
    assert warnings(STORAGE + USED + BACKFILLS % more) == []
