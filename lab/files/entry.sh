#!/bin/sh
# First process of a lab host: makes the container look like a machine of its own, then boots it.
# /lab is the host's folder of the lab on the outside, read only.
set -eu

# Only this host's disks: lsblk, udev and ceph-volume learn of block devices from these two folders
# and from /dev, and a privileged container would see every disk of the machine in them.
mount --bind /lab/block /sys/block
mount --bind /lab/class-block /sys/class/block
"${0%/*}/disks.sh"

# What the lab gives every host: who may log in and who the host is.
install -d -m 0700 /root/.ssh
install -m 0600 /lab/authorized_keys /root/.ssh/authorized_keys
install -m 0600 /lab/ssh_host_ed25519_key /etc/ssh/ssh_host_ed25519_key
install -m 0644 /lab/ssh_host_ed25519_key.pub /etc/ssh/ssh_host_ed25519_key.pub

# systemd 258 and later boot under cgroup v2 alone, also where the machine still mixes v1 and v2: give
# this host a group of its own and let it see that group as the root.
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p "/sys/fs/cgroup/$LAB_CGROUP"
echo $$ > "/sys/fs/cgroup/$LAB_CGROUP/cgroup.procs"
# Lazily, because the lab already asks the host whether it is up.
exec unshare --cgroup /bin/sh -euc '
  umount --lazy /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  exec /sbin/init
'
