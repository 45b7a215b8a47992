#!/bin/sh
# Waits inside a host until it is up: systemd has started everything and each disk has its link. A unit
# that failed is no reason to say no; a daemon may well fail after a power cut.
# Exit codes: 0 ready, 1 not yet, 2 it never will be (the reason is printed).
case $(systemctl is-system-running --wait 2> /dev/null) in
  running | degraded) ;;
  *) exit 1 ;;
esac
udevadm settle
for link in $(sed -n 's|.*SYMLINK+="\(.*\)"|/dev/\1|p' /lab/disks.rules); do
  [ -b "$link" ] || {
    echo "udev made no $link"
    systemctl list-units --failed --plain --no-legend
    exit 2
  }
done
