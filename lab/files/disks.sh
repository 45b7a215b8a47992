#!/bin/sh
# Makes /dev and udev's names of disks follow the list in /lab/block. Run at boot, and again when the
# lab has added a disk.
set -eu
find /dev -xdev -type b | while read -r node; do
  [ -L "/lab/block/${node##*/}" ] || rm "$node"
done
for link in /lab/block/*; do
  [ -L "$link" ] || continue
  name=${link##*/}
  numbers=$(cat "/sys/devices/virtual/block/$name/dev")
  rm -f "/dev/$name"
  mknod -m 0660 "/dev/$name" b "${numbers%:*}" "${numbers#*:}"
  chgrp disk "/dev/$name"
done
install -m 0644 /lab/disks.rules /etc/udev/rules.d/99-lab-disks.rules
