#!/bin/sh
# Run by mmdebstrap when the packages are in, with the new root file system as argument.
set -eu
root=$1

# Every host gets keys and an id of its own at its first boot. udevd derives MAC addresses from the
# machine id, so hosts that share one would share an address.
rm -f "$root"/etc/ssh/ssh_host_*
: > "$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id"
rm -f "$root/etc/hostname"

# Units that would change the machine under the lab (binary formats, kernel variables, modules), use
# the network behind one's back, or only cost time.
for unit in \
  apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
  fstrim.timer getty.target ldconfig.service lvm2-monitor.service nvmf-autoconnect.service \
  systemd-binfmt.service systemd-journal-catalog-update.service systemd-modules-load.service \
  systemd-sysctl.service systemd-firstboot.service xfs_healer_start.service xfs_scrub_all.timer \
  sys-kernel-debug.mount sys-kernel-tracing.mount dev-hugepages.mount; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done

# Look at the host's own disks at boot, not at every device of the machine.
install -d "$root/etc/systemd/system/systemd-udev-trigger.service.d"
cat > "$root/etc/systemd/system/systemd-udev-trigger.service.d/lab.conf" <<'UNIT'
[Service]
ExecStart=
ExecStart=udevadm trigger --action=add --subsystem-match=block
UNIT
