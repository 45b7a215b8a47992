"""Facts flow back from here: one look at a host, and at the cluster where its mon leads."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_host_info
short_description: Look at a Ceph host and, on the leading mon's host, at the cluster
version_added: 0.1.0
author: The ceph-orchestrator authors (@ceph-orchestrator)
description:
  - Gathers in one call all that is needed to plan for a host. It changes nothing.
  - Finds Ceph's daemons by their data, by the records of what was set up and by their systemd
    units.
  - Lists every block device with its stable name and the BlueStore label that it carries.
  - On the host whose mon leads a quorum, and on no other, gives Ceph's own view of the cluster,
    unless another one is asked to speak.
  - Everything that could hang (devices, the resolver, the cluster) has a deadline, after which it
    becomes an error in the result.
  - Keys are never part of the result. Values of options that hold secrets come as their digest.
extends_documentation_fragment: [ceph_orchestrator.ceph.reading]
options:
  device_timeout:
    description: Seconds that looking into one device may take.
    type: float
    default: 5.0
  cluster_timeout:
    description: Seconds that connecting to the cluster may take, and again all questions to it.
    type: float
    default: 10.0
  digests:
    description:
      - Digests of secrets by name and key, as the filter P(ceph_orchestrator.ceph.digests#filter)
        makes them. They are given back, and settings that have such a value show its digest.
    type: dict
    default: {}
  restarting_osds:
    description:
      - OSDs that are to be restarted. Ceph is asked about one after the other, in this order, until
        it allows one to be stopped.
    type: list
    elements: int
    default: []
  restarting_at_once:
    description: How many of them at most may be restarted together.
    type: int
    default: 20
  grown_osds:
    description: Whether to ask which OSDs are larger than their weight in the CRUSH map says.
    type: bool
    default: false
  speaks:
    description:
      - Whether Ceph's view is also given on a host whose mon follows a leader. The host of the
        leading mon may not answer, or be none of the inventory.
    type: bool
    default: false
requirements:
  - python3-rados, on hosts of mons
"""

EXAMPLES = r"""
- name: Look at the host
  ceph_orchestrator.ceph.ceph_host_info:
  register: looked

- name: Show who leads
  ansible.builtin.debug:
    msg: "{{ looked.cluster.quorum_names }}"
  when: looked.cluster is not none
"""

RETURN = r"""
host:
  description: What was seen on the host itself.
  returned: always
  type: dict
  contains:
    hostname:
      description: The name that the kernel knows.
      type: str
      sample: ceph-1
    fqdn:
      description: The full name; the same as I(hostname) when the resolver does not answer.
      type: str
      sample: ceph-1.example.com
    addresses:
      description: Addresses with prefix, without loopback and link-local ones.
      type: list
      elements: str
      sample: [10.1.2.3/24]
    ceph_version:
      description: The installed release, empty when there is none.
      type: str
      sample: 20.2.4
    binaries:
      description: Ceph's programs that are installed.
      type: list
      elements: str
      sample: [ceph, ceph-mon, ceph-mgr, ceph-osd, ceph-volume]
    conf:
      description:
        - What /etc/ceph/ceph.conf says of the cluster, and of where the OSDs of the host are.
        - A crush_location that is not in the file is empty; one that could not be read is null.
      type: dict
      sample:
        crush_location: root=default host=ceph-1
        fsid: 0a1b2c3d-1111-4222-8333-444455556666
        mon_host: "[v2:10.1.2.3:3300,v1:10.1.2.3:6789]"
        present: true
    mgr_modules:
      description: The mgr modules that are installed.
      type: list
      elements: str
      sample: [balancer, dashboard, prometheus]
    secrets:
      description: The digests that were given, of the secrets that the inventory has.
      type: dict
      sample:
        rook-ceph-dashboard-password:
          password: sha256:f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7
    admin_keyring:
      description: Whether the keyring of client.admin is there.
      type: bool
      sample: true
    put_aside:
      description:
        - Daemons that were here and whose data was put aside. C(fsid) is their cluster, empty where
          the name of the folder does not tell it.
      type: list
      elements: dict
      sample:
        - {type: mon, id: d, fsid: 0a1b2c3d-1111-4222-8333-444455556666}
    crash_dumps:
      description: How many dumps of crashed daemons there are, handed in or not.
      type: int
      sample: 0
    memory_bytes:
      description: Memory of the machine.
      type: int
      sample: 25769803776
    daemons:
      description:
        - Every mon, mgr and osd of which there is data, a record or a unit.
        - C(active) is systemd's state, or C(unknown) when systemd could not be asked.
        - C(record) is what was written down when the daemon was last set up; C(drifted) names the
          files of that record which are missing or changed.
        - Mons also have C(mon_state), C(monmap) and C(monmap_epoch) (0 was never in a quorum, -1
          is unknown), from the running mon or else from its store. C(running_seconds) is how long
          their process has run, and C(monmap_age) how long ago the map changed last by the word of
          the running mon; both are -1 where that is not known.
      type: list
      elements: dict
      sample:
        - type: mon
          id: a
          data: true
          keyring: true
          active: active
          enabled: true
          record: 5f1d0c2a
          drifted: []
          fsid: 0a1b2c3d-1111-4222-8333-444455556666
          osd_uuid: ""
          mon_state: leader
          monmap_epoch: 2
          monmap: [{name: a, addr: 10.1.2.3, addrs: ["v2:10.1.2.3:3300/0"]}]
          running_seconds: 86400.5
          monmap_age: 86412.8
        - type: osd
          id: "0"
          data: true
          keyring: true
          active: active
          enabled: true
          record: 77aa01b3
          drifted: ["/etc/systemd/system/ceph-osd@0.service.d/orchestrator.conf: missing"]
          fsid: 0a1b2c3d-1111-4222-8333-444455556666
          osd_uuid: 11111111-0000-4000-8000-000000000001
    devices:
      description:
        - Every block device but RAM disks. C(osd) is its BlueStore label, with id -1 when that
          names no OSD. C(error) says why a device could not be looked at; it is then to be left
          alone.
        - C(by_id) is the name to remember the device by, or its path when it has no stable one.
        - C(signatures) is all that the content shows, read from devices only that nothing else is
          known of. C(filesystem) and C(partition_table) hold the first of them.
        - C(udev_partition_scheme) is the table that a partition is an entry of.
        - C(unfinished) tells that a preparation of ours was cut off there. The module
          M(ceph_orchestrator.ceph.ceph_osd) clears it away, and makes the OSD anew when the device
          is wanted again.
        - A device without a label at its head, but with a copy of one further in, has an C(error)
          that names the OSD.
      type: list
      elements: dict
      sample:
        - name: sdb
          path: /dev/sdb
          type: disk
          size: 480103981056
          by_id: /dev/disk/by-id/wwn-0x5000c500a1b2c3d4
          links: [/dev/disk/by-id/wwn-0x5000c500a1b2c3d4, /dev/disk/by-path/pci-0000:00:17.0-ata-2]
          rotational: true
          read_only: false
          removable: false
          model: ST480
          serial: ZA10000A
          vendor: ATA
          wwn: "0x5000c500a1b2c3d4"
          filesystem: ceph_bluestore
          partition_table: ""
          udev_partition_scheme: ""
          signatures: []
          multipath_member: false
          mountpoints: []
          holders: []
          children: []
          parent: ""
          osd:
            id: 0
            uuid: 11111111-0000-4000-8000-000000000001
            fsid: 0a1b2c3d-1111-4222-8333-444455556666
            description: main
          unfinished: false
          error: ""
    osds_lvm:
      description:
        - OSDs on logical volumes, of any cluster, as the tags on the volumes say. Asked for only
          where there is a volume that may be an OSD's.
        - C(path) is the data volume, C(devices) are the disks below it, C(db) and C(wal) the other
          volumes of the OSD.
      type: list
      elements: dict
      sample:
        - id: 1
          uuid: 11111111-0000-4000-8000-000000000002
          fsid: 0a1b2c3d-1111-4222-8333-444455556666
          path: /dev/ceph-aa11/osd-block-1
          devices: [/dev/sdc]
          device_class: hdd
          encrypted: false
          db: /dev/ceph-bb22/osd-db-1
          db_devices: [/dev/nvme0n1]
          wal: ""
    services:
      description:
        - What the host runs beside its daemons. C(crash) is Ceph's collector of crashes, which
          needs its C(keyring) to hand them in; C(logrotate) is ours.
      type: list
      elements: dict
      sample:
        - name: crash
          installed: true
          active: active
          enabled: true
          keyring: true
          record: 5f1d0c2a
          drifted: []
    unfinished:
      description:
        - Preparations of ours that were cut off, also of disks that are gone since. The module
          M(ceph_orchestrator.ceph.ceph_osd) brings them to an end, whatever devices it is given.
      type: list
      elements: dict
      sample:
        - name: 6c3c9d0e-8f59-4c5e-a2a5-8d6ffb0c2a44
          by_id: /dev/disk/by-id/wwn-0x5000c500a1b2c3d5
          device: /dev/sdd
          size: 480103981056
          fsid: 0a1b2c3d-1111-4222-8333-444455556666
          mode: raw
          uuids: [11111111-0000-4000-8000-000000000003]
    lock:
      description:
        - Who works on the cluster, by the lock file of this host. C(seconds_left) is how long it
          counts unless it is renewed. Null when nobody does.
      type: dict
      sample: {owner: root@admin-1, id: 4f0c1d2e3a4b, seconds_left: 287.4}
    errors:
      description: What could not be found out, and why.
      type: list
      elements: str
      sample: []
cluster:
  description:
    - Ceph's view. Null unless this host's mon leads a quorum, or follows in one and O(speaks).
    - A section whose command failed is absent, and C(errors) names the command.
    - C(status) and C(versions) are Ceph's own JSON, C(df) is the part C(stats) of it with the pools
      of users that hold objects.
    - C(owned) is the record of what we set, C(dashboard) what the dashboard has; it is null while
      that is off. C(password) is the digest of the password that we keep for it.
    - C(safe_to_destroy) are OSDs that are down and out, and that Ceph can do without. It is null
      where no mgr could tell.
    - C(grown_osds) are OSDs that are larger than their weight in the CRUSH map says, both in TiB.
      It is there when it was asked for, and null where no mgr could tell.
    - C(full_ratios) are those at which OSDs count as full, C(required_osd_release) is the oldest
      release that they may have.
    - C(ok_to_stop) is there when it was asked for. C(osds) are those that may be stopped together
      with C(osd).
  returned: always
  type: dict
  sample:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    quorum_names: [a]
    mons: [{name: a, rank: 0, addrs: ["v2:10.1.2.3:3300/0", "v1:10.1.2.3:6789/0"]}]
    status: {health: {status: HEALTH_OK}}
    versions: {mon: {"ceph version 20.2.4 (0123abcd) tentacle (stable)": 1}}
    df:
      total_bytes: 480103981056
      total_used_bytes: 1048576
      total_avail_bytes: 480102932480
      pools: {rbd: 7}
    osds:
      - id: 0
        uuid: 11111111-0000-4000-8000-000000000001
        up: true
        in: true
        host: ceph-1
        device_class: hdd
    crush_hosts: {ceph-1: {rack: r1, root: default}}
    failure_domains: [host]
    safe_to_destroy: [7]
    grown_osds: [{id: 0, weight: 0.4366, size: 0.8732}]
    full_ratios: {nearfull: 0.85, backfillfull: 0.9, full: 0.95}
    required_osd_release: tentacle
    mgr:
      available: true
      active: a
      address: 10.1.2.3
      standbys: [b]
      services: {prometheus: "http://10.1.2.3:9283/"}
    mutes: [{code: OSDMAP_FLAGS, sticky: true}]
    owned: {settings: {mon: {mon_data_avail_warn: "5"}}, secrets: {}, mutes: [OSDMAP_FLAGS]}
    dashboard: {certificate: true, users: [admin], password: ""}
    mgr_modules: {enabled: [prometheus], always_on: [balancer], available: [alerts, prometheus]}
    config: [{section: global, mask: "", name: mon_data_avail_warn, value: "5"}]
    auth: [{entity: mgr.a, caps: {mon: profile mgr}}]
    locks: [{owner: root@admin-1, id: 4f0c1d2e3a4b, seconds_left: 287.4}]
    ok_to_stop:
      - {osd: 27, ok: false, osds: [], reason: pg 11.3 would become inactive}
      - {osd: 26, ok: true, osds: [26, 28], reason: ""}
    errors: []
"""


import os
import time
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    addresses,
    ceph_install,
    cluster_view,
    daemons,
    devices,
    locks,
    lvm_list,
    monmap,
    our_files,
    prepare_records,
    services,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_NAMES_SECONDS = 1.0
_LVM_SECONDS = 20.0


def observe(
    device_timeout: float,
    cluster_timeout: float,
    digests: Mapping[str, Any] | None = None,
    waiting: cluster_view.Waiting = cluster_view.NOBODY,
    *,
    speaks: bool = False,
) -> dict[str, Any]:
    """Look at everything; only a host whose disks cannot be listed at all is an error."""
    errors: list[str] = []
    found, views = daemons.collect(errors)
    disks = devices.collect(device_timeout, errors)
    unfinished = _unfinished(disks)
    conf = ceph_install.conf(errors)
    labels = [device.osd for device in disks if device.osd]
    daemons.complete_osds(found, labels, conf["fsid"])
    host = {
        **_machine(errors),
        "secrets": digests or {},
        "conf": conf,
        "daemons": [daemon.result() for daemon in found],
        "devices": [device.result() for device in disks],
        "osds_lvm": [osd.result() for osd in _on_volumes(disks, errors)],
        "unfinished": unfinished,
        "services": services.collect(errors),
        "lock": locks.on_host(time.time()),
        "errors": errors,
    }
    speaking = {
        name: view for name, view in views.items() if view.leads or (speaks and view.follows)
    }
    return {"host": host, "cluster": _cluster(speaking, cluster_timeout, digests or {}, waiting)}


def _unfinished(disks: Sequence[devices.Device]) -> list[dict[str, Any]]:
    """List preparations of ours that were cut off, and mark the disks that bear their traces."""
    records = [record.result() for record in prepare_records.all_records()]
    begun = {uuid for record in records for uuid in record["uuids"]}
    for disk in disks:
        disk.unfinished = bool(disk.osd and disk.osd["id"] < 0 and disk.osd["uuid"] in begun)
    return records


def _on_volumes(disks: Sequence[devices.Device], errors: list[str]) -> list[lvm_list.LvmOsd]:
    """Ask ceph-volume, which takes its time, only where it can know more than the labels."""
    return lvm_list.ask(_LVM_SECONDS, errors) if lvm_list.may_hold_osds(disks) else []


def _machine(errors: list[str]) -> dict[str, Any]:
    hostname, fqdn = addresses.names(_NAMES_SECONDS)
    return {
        "hostname": hostname,
        "fqdn": fqdn,
        "addresses": addresses.collect(),
        "ceph_version": ceph_install.version(errors),
        "binaries": ceph_install.programs(),
        "mgr_modules": ceph_install.mgr_modules(),
        "admin_keyring": ceph_install.ADMIN_KEYRING.is_file(),
        "put_aside": daemons.put_aside(),
        "crash_dumps": len(our_files.crash_dumps()),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
    }


def _cluster(
    views: dict[str, monmap.MonView],
    timeout: float,
    digests: Mapping[str, Any],
    waiting: cluster_view.Waiting,
) -> dict[str, Any] | None:
    if not views:
        return None
    mon_id, view = next(iter(views.items()))
    secrets = {digest for keys in digests.values() for digest in keys.values()}
    return cluster_view.collect(view, timeout, _keyrings(mon_id), secrets, waiting)


def _keyrings(mon_id: str) -> list[tuple[str, str]]:
    """Come as client.admin, or as the mon itself where that keyring was lost or is not valid."""
    known = {
        "client.admin": ceph_install.ADMIN_KEYRING,
        "mon.": daemons.data_dir("mon", mon_id) / "keyring",
    }
    return [(name, str(keyring)) for name, keyring in known.items() if keyring.is_file()]


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "device_timeout": {"type": "float", "default": 5.0},
            "cluster_timeout": {"type": "float", "default": 10.0},
            "digests": {"type": "dict", "default": {}},
            "restarting_osds": {"type": "list", "elements": "int", "default": []},
            "restarting_at_once": {"type": "int", "default": 20},
            "grown_osds": {"type": "bool", "default": False},
            "speaks": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    given = module.params
    waiting = cluster_view.Waiting(
        given["restarting_osds"], given["restarting_at_once"], grown=given["grown_osds"]
    )
    try:
        seen = observe(
            given["device_timeout"],
            given["cluster_timeout"],
            given["digests"],
            waiting,
            speaks=given["speaks"],
        )
    except devices.DeviceError as error:
        module.fail_json(msg=f"The disks of this host cannot be listed: {error}")
    module.exit_json(changed=False, **seen)


if __name__ == "__main__":
    main()
