"""Specs that are refused: on which line, with which value and which remedy."""

import pytest

from tests.fakes.manifests import NODES, SPEC, STORAGE, parse, refusals


def test_all_problems_are_named_at_once_in_the_order_of_the_lines():
    text = SPEC + (
        "  mon:\n    count: -1\n"
        "  mgr: {count: '2'}\n"
        "  dataDirHostPath: /rook/\n"
        "  network: {provider: calico}\n"
        "  storage:\n"
        "    deviceFilter: 'sd[b-'\n"
        "    nodes:\n"
        "    - {name: a, deviceFilter: '^sd(?!a)'}\n"
        "    - {name: A}\n"
    )

    assert refusals(text) == [
        "f.yaml:6: spec.mon.count: -1: must be at least 0; remedy: use 0 or more",
        (
            'f.yaml:7: spec.mgr.count: "2": must be an integer; '
            "remedy: write a whole number, without quotes"
        ),
        (
            'f.yaml:8: spec.dataDirHostPath: "/rook/": is a directory that Ceph\'s daemons use '
            "themselves; remedy: use another one, such as /var/lib/rook"
        ),
        (
            "f.yaml:9: spec.network.provider: \"calico\": must be one of '', 'host' or 'multus'; "
            "remedy: use one of them, or remove the field"
        ),
        (
            'f.yaml:11: spec.storage.deviceFilter: "sd[b-": is not a regular expression of Rook\'s '
            "engine (RE2): missing ]: [b-; remedy: correct the pattern"
        ),
        (
            'f.yaml:13: spec.storage.nodes[0].deviceFilter: "^sd(?!a)": is not a regular '
            "expression "
            "of Rook's engine (RE2): invalid perl operator: (?!; "
            "remedy: write it without look-around, back-references and possessive repetition"
        ),
        (
            'f.yaml:14: spec.storage.nodes[1].name: "A": names the same host as '
            "spec.storage.nodes[0]; remedy: keep one of them"
        ),
    ]


REFUSED = [
    # The value of a field.
    ("  mon: {count: 10}\n", "spec.mon.count: 10: must be at most 9; remedy: use 9 or less"),
    ("  mon: {count: 3.5}\n", "spec.mon.count: 3.5: must be an integer"),
    ("  mon: [3]\n", "spec.mon: [3]: must be a mapping of fields"),
    (
        "  storage: {devices: [sdb]}\n",
        (
            'spec.storage.devices[0]: "sdb": must be a mapping of fields; '
            "remedy: write it as - name: sdb"
        ),
    ),
    ("  mgr: {modules: prometheus}\n", 'spec.mgr.modules: "prometheus": must be a list'),
    ("  dashboard: {enabled: 'yes'}\n", 'spec.dashboard.enabled: "yes": must be true or false'),
    (
        "  cephConfig: {global: {osd_pool_default_size: 1}}\n",
        (
            "spec.cephConfig.global.osd_pool_default_size: 1: must be a string; "
            'remedy: write it in quotes: "1"'
        ),
    ),
    (
        "  cephConfig: {global: {bluefs_buffered_io: false}}\n",
        (
            "spec.cephConfig.global.bluefs_buffered_io: false: must be a string; "
            'remedy: write it in quotes: "false"'
        ),
    ),
    ("  cephConfig: {osd.3: x}\n", 'spec.cephConfig["osd.3"]: "x": must be a mapping'),
    ("  dataDirHostPath: var/lib\n", 'spec.dataDirHostPath: "var/lib": must be an absolute path'),
    ("  storage: {fullRatio: 1.5}\n", "spec.storage.fullRatio: 1.5: must be at most 1"),
    ("  storage: {fullRatio: .nan}\n", "spec.storage.fullRatio: NaN: must be a finite number"),
    (
        "  network: {addressRanges: {public: [192.0.2.0/33]}}\n",
        'spec.network.addressRanges.public[0]: "192.0.2.0/33": must be an address range',
    ),
    (
        "  healthCheck: {daemonHealth: {mon: {interval: 45}}}\n",
        (
            "spec.healthCheck.daemonHealth.mon.interval: 45: must be a duration; "
            "remedy: write numbers with units, such as 45s"
        ),
    ),
    (
        "  healthCheck: {daemonHealth: {mon: {interval: 0}}}\n",
        (
            "spec.healthCheck.daemonHealth.mon.interval: 0: must be a string; "
            'remedy: write it in quotes: "0"'
        ),
    ),
    (
        "  logCollector: {periodicity: 1}\n",
        (
            "spec.logCollector.periodicity: 1: must be one of hourly, daily, weekly, monthly, 1h, "
            "24h, 1d; remedy: use one of them, or remove the field"
        ),
    ),
    (
        "  network: {addressRanges: {public: [10]}}\n",
        "spec.network.addressRanges.public[0]: 10: must be an address range; remedy: write it as",
    ),
    (
        "  healthCheck: {daemonHealth: {mon: {interval: '45'}}}\n",
        'spec.healthCheck.daemonHealth.mon.interval: "45": must be a duration',
    ),
    (
        "  logCollector: {maxLogSize: 500MB}\n",
        'spec.logCollector.maxLogSize: "500MB": must be a quantity',
    ),
    (
        "  healthCheck: {muteHealthWarning: {osd_down: {policy: mute}}}\n",
        (
            "spec.healthCheck.muteHealthWarning.osd_down: "
            '"osd_down": must be one of Ceph\'s health check codes'
        ),
    ),
    (
        "  cleanupPolicy: {confirmation: 'yes'}\n",
        (
            'spec.cleanupPolicy.confirmation: "yes": must be empty or yes-really-destroy-data; '
            "remedy: write yes-really-destroy-data to confirm, or remove the field"
        ),
    ),
    (
        "  cleanupPolicy: {confirmation: yes}\n",
        (
            "spec.cleanupPolicy.confirmation: true: must be empty or yes-really-destroy-data; "
            "remedy: write yes-really-destroy-data to confirm, or remove the field"
        ),
    ),
    (
        "  storage: {store: {updateStore: on}}\n",
        (
            "spec.storage.store.updateStore: true: must be empty or yes-really-update-store; "
            "remedy: write yes-really-update-store to confirm, or remove the field"
        ),
    ),
    (
        "  security: {cephx: {allowedCiphers: [aes, aes]}}\n",
        'spec.security.cephx.allowedCiphers: ["aes", "aes"]: must name every cipher once',
    ),
    (
        "  security: {cephx: {daemon: {keyType: aes256}}}\n",
        (
            "spec.security.cephx.daemon.keyType: \"aes256\": must be one of 'aes' or 'aes256k'; "
            "remedy: did you mean aes256k?"
        ),
    ),
    (
        "  mon: {floatingMon: {name: a}}\n",
        "spec.mon.floatingMon.configmapName: is required; remedy: add configmapName",
    ),
    # Fields that must fit each other.
    (
        "  mon: {count: 1, zones: [{name: a}, {name: b}]}\n",
        "spec.mon.zones: has 2 zones for 1 mons",
    ),
    (
        "  mon: {stretchCluster: {zones: [{name: a}]}}\n",
        "spec.mon.stretchCluster.zones: must have exactly 3 zones, not 1",
    ),
    (
        "  mon: {stretchCluster: {zones: [{name: a}, {name: b}, {name: c}]}}\n",
        "spec.mon.stretchCluster.zones: must have exactly one arbiter",
    ),
    (
        "  mon: {count: 1, stretchCluster: {zones: [{name: a, arbiter: true}, {name: b}, {}]}}\n",
        "spec.mon.count: 1: must be 3 or 5 in a stretch cluster",
    ),
    (
        "  network: {provider: multus}\n",
        "spec.network.selectors: must have at least one network selector",
    ),
    (
        "  network: {provider: host, hostNetwork: true}\n",
        "spec.network.hostNetwork: true: can only be set when network.provider is empty",
    ),
    (
        "  mon: {allowMultiplePerNode: true}\n  network: {provider: host}\n",
        "spec.mon.allowMultiplePerNode: true: cannot be used with the host network and 3 mons",
    ),
    ("  dataDirHostPath: /etc/ceph\n", 'spec.dataDirHostPath: "/etc/ceph": is a directory that'),
    ("  mgr: {modules: [{enabled: true}]}\n", "spec.mgr.modules[0].name: is required"),
    (
        "  storage: {nodes: [{name: a}]}\n",
        "spec.dataDirHostPath: is required when storage.nodes is given",
    ),
    (NODES + "  storage: {nodes: [{}]}\n", "spec.storage.nodes[0].name: is required"),
    (
        NODES + "  storage: {nodes: [{name: a b}]}\n",
        'spec.storage.nodes[0].name: "a b": must not hold spaces',
    ),
    ("  storage: {devices: [{}]}\n", "spec.storage.devices[0]: must have a name or a fullpath"),
    # Settings of OSDs: Rook would take each of these silently for 0 or false.
    (
        "  storage: {config: {osdsPerDevice: two}}\n",
        (
            'spec.storage.config.osdsPerDevice: "two": must be a whole number; '
            'remedy: write it as in osdsPerDevice: "2", or remove it'
        ),
    ),
    (
        "  storage: {config: {osdsPerDevice: 2}}\n",
        "spec.storage.config.osdsPerDevice: 2: must be a string",
    ),
    (
        "  storage: {config: {osdsPerDevice: '0'}}\n",
        'spec.storage.config.osdsPerDevice: "0": must be at',
    ),
    (
        "  storage: {config: {walSizeMB: 1G}}\n",
        'spec.storage.config.walSizeMB: "1G": must be a whole',
    ),
    (
        "  storage: {config: {encryptedDevice: 'True'}}\n",
        'spec.storage.config.encryptedDevice: "True": must be true or false',
    ),
    (
        "  storage: {devices: [{name: sdb, config: {initialWeight: nan}}]}\n",
        'spec.storage.devices[0].config.initialWeight: "nan": must be a number of at least 0',
    ),
    (
        "  storage: {config: {primaryAffinity: '2'}}\n",
        'spec.storage.config.primaryAffinity: "2": must be a number from 0 to 1',
    ),
    (
        "  storage: {config: {deviceClass: 'ssd; rm'}}\n",
        'spec.storage.config.deviceClass: "ssd; rm": must be a CRUSH name',
    ),
    (
        "  disruptionManagement: {pgHealthyRegex: 'active[+'}\n",
        (
            'spec.disruptionManagement.pgHealthyRegex: "active[+": is not a regular expression of '
            "Rook's engine (RE2)"
        ),
    ),
    # Selectors beside Rook's settings.
    (
        "  storage: {config: {size: 10g}}\n",
        (
            'spec.storage.config.size: "10g": is not a size; '
            'remedy: write it as in size: "1T:4T", or remove it'
        ),
    ),
    (
        "  storage: {config: {size: '40G:10G'}}\n",
        'spec.storage.config.size: "40G:10G": has a lowest size above the highest',
    ),
    (
        NODES + "  storage: {nodes: [{name: a, config: {rotational: 'yes'}}]}\n",
        'spec.storage.nodes[0].config.rotational: "yes": must be "0" or "1"',
    ),
    (
        "  storage: {config: {limit: '0'}}\n",
        'spec.storage.config.limit: "0": must be at least 1',
    ),
    # Unknown fields of the storage section.
    (
        "  storage: {deviceFiltre: sdb}\n",
        (
            'spec.storage.deviceFiltre: "sdb": is not a field of CephCluster; '
            "remedy: did you mean deviceFilter?"
        ),
    ),
    (
        "  storage: {nearFullRatio: 0.9, backfillFullRatio: 0.8}\n",
        "spec.storage.nearFullRatio: 0.9: must not be above backfillFullRatio, which is 0.8",
    ),
    (
        "  storage: {nearFullRatio: 0.9, fullRatio: 0.8}\n",
        "spec.storage.nearFullRatio: 0.9: must not be above fullRatio, which is 0.8",
    ),
    (
        "  storage: {fullRatio: 1.5}\n",
        "spec.storage.fullRatio: 1.5: must be",
    ),
    (
        "  storage: {use_all_nodes: true}\n",
        (
            "spec.storage.use_all_nodes: true: is not a field of CephCluster; "
            "remedy: did you mean useAllNodes?"
        ),
    ),
    (
        "  storage: {devices: [{nam: sdb, name: sdb}]}\n",
        'spec.storage.devices[0].nam: "sdb": is not a field of CephCluster',
    ),
]


def test_ratios_may_be_the_same_as_ceph_has_it():
    text = "  storage: {useAllNodes: true, nearFullRatio: 0.9, backfillFullRatio: 0.9}\n"
    assert parse(SPEC + text).cluster.spec.storage.near_full_ratio == 0.9


@pytest.mark.parametrize(("spec", "problem"), REFUSED)
def test_a_wrong_spec_is_refused(spec, problem):
    (found,) = refusals(SPEC + spec)
    line = 4 if problem.startswith("spec.dataDirHostPath: is required") else 5
    line += (spec.count("\n") - 1) * (problem.startswith("spec.storage.nodes"))

    assert found.startswith(f"f.yaml:{line}: {problem}")
    assert "; remedy: " in found


def test_nodes_one_level_too_deep_are_refused_and_nothing_is_taken_instead():
    text = STORAGE + (
        "    useAllNodes: false\n"
        "    config:\n"
        "      nodes:\n"
        "      - name: store-a\n"
        "        devices: [{name: vdb}]\n"
    )

    assert refusals(text) == [
        (
            'f.yaml:8: spec.storage.config.nodes: [{"name": "store-a", "devices": '
            '[{"name": "vdb"}]}]: '
            "must be a string; remedy: nodes belongs under spec.storage: correct the indentation"
        )
    ]
