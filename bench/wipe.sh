#!/bin/sh
# Brings a lab host back to how it came: no daemon, no data, no configuration, empty disks.
set -u
systemctl kill --signal=KILL 'ceph-mon@*' 'ceph-mgr@*' 'ceph-osd@*' 2> /dev/null
systemctl stop 'ceph-mon@*' 'ceph-mgr@*' 'ceph-osd@*' 2> /dev/null
rm -rf /etc/systemd/system/ceph-*@*.service.d /etc/systemd/system/ceph-*@*.service \
  /etc/systemd/system/ceph-*.target.wants/ceph-*@*
systemctl daemon-reload
systemctl reset-failed
set -e
for folder in $(awk '$2 ~ "^/var/lib/ceph/" { print $2 }' /proc/mounts); do umount "$folder"; done
rm -rf /var/lib/ceph/*/* /var/lib/ceph-orchestrator /var/log/ceph/* /run/ceph/*
find /etc/ceph -type f ! -name rbdmap -delete
for disk in /dev/disk/by-id/lab-disk-*; do blkdiscard --force "$disk"; done
udevadm trigger --action=change --subsystem-match=block
udevadm settle
