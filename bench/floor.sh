#!/bin/bash
# The floor: the cluster of bench/cluster.yaml made by plain commands, as fast as somebody who knows
# Ceph well would script it for just this case. It looks at nothing first and repairs nothing.
#
# Usage: SSH_CONFIG=file floor.sh HOST=ADDRESS…   (mons on all, mgrs on the first two, an OSD on each)
set -euo pipefail

letters=(a b c d e f g)
names=() addresses=()
for argument; do
  names+=("${argument%=*}")
  addresses+=("${argument#*=}")
done

on() { ssh -F "$SSH_CONFIG" "$@"; }

fsid=$(cat /proc/sys/kernel/random/uuid)
mon_host='' monmap=''
for index in "${!names[@]}"; do
  endpoints="[v2:${addresses[index]}:3300,v1:${addresses[index]}:6789]"
  mon_host+="${mon_host:+,}$endpoints"
  monmap+=" --addv ${letters[index]} $endpoints"
done

# Every key is made in one place and known to the mons from their birth, so that nobody has to wait for
# a quorum to get one. The answer is a tar of all that a host needs.
make_seed() {
  on "${names[0]}" bash -euo pipefail -s <<END
seed=\$(mktemp -d); cd \$seed
cat > ceph.conf <<CONF
[global]
fsid = $fsid
mon_host = $mon_host
mon_data_avail_warn = 1
auth_allow_insecure_global_id_reclaim = false
[osd]
osd_memory_target = 939524096
CONF
key() { ceph-authtool --create-keyring "\$1" --gen-key --name "\${@:2}" > /dev/null; }
{
  key mon mon. --cap mon 'allow *'
  key ceph.client.admin.keyring client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mds 'allow *' --cap mgr 'allow *' &
  key bootstrap-osd client.bootstrap-osd --cap mon 'profile bootstrap-osd' &
  key mgr.a mgr.a --cap mon 'profile mgr' --cap osd 'allow *' --cap mds 'allow *' &
  key mgr.b mgr.b --cap mon 'profile mgr' --cap osd 'allow *' --cap mds 'allow *' &
  wait
  cat mon ceph.client.admin.keyring bootstrap-osd mgr.a mgr.b > all && mv all mon
  monmaptool --create --fsid $fsid$monmap monmap
} >&2
tar --create .
rm -r \$seed
END
}

# One host from nothing to running daemons. The commands of ceph-volume wait for the quorum themselves.
make_host() {
  local letter=$2
  on "$1" bash -euo pipefail -c "'
install -d /root/seed && cd /root/seed && tar --extract
cp ceph.conf ceph.client.admin.keyring /etc/ceph/
install -d -o ceph -g ceph /var/lib/ceph/bootstrap-osd
install -o ceph -g ceph -m 600 bootstrap-osd /var/lib/ceph/bootstrap-osd/ceph.keyring
install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-$letter
chown ceph:ceph . mon monmap && chmod 755 /root /root/seed
ceph-mon --setuser ceph --setgroup ceph --mkfs --id $letter --monmap monmap --keyring mon
systemctl enable --quiet --now ceph-mon@$letter
if [ -e mgr.$letter ]; then
  install -d -o ceph -g ceph /var/lib/ceph/mgr/ceph-$letter
  install -o ceph -g ceph -m 600 mgr.$letter /var/lib/ceph/mgr/ceph-$letter/keyring
  systemctl enable --quiet --now ceph-mgr@$letter
fi
cd / && rm -r /root/seed && chmod 700 /root
export CEPH_VOLUME_ALLOW_LOOP_DEVICES=1
disk=\$(readlink -f /dev/disk/by-id/lab-disk-a)
ceph-volume raw prepare --bluestore --data \$disk
ceph-volume raw activate --device \$disk --no-systemd
for folder in /var/lib/ceph/osd/ceph-*; do
  systemctl enable --quiet --now ceph-osd@\${folder##*-}
done
'" >&2
}

# What the orchestrator waits for as well: all mons in quorum, an active and a standby mgr, all OSDs up.
wait_until_up() {
  on "${names[0]}" bash -euo pipefail -s "${#names[@]}" <<'END'
# A mgr tells of its modules a moment after it started.
until ceph mgr module enable prometheus >&2; do sleep 0.2; done
until ceph status --format json | python3 -c '
import json, sys
status, wanted = json.load(sys.stdin), int(sys.argv[1])
mgr, osds = status["mgrmap"], status["osdmap"]
done = len(status["quorum_names"]) == osds["num_up_osds"] == wanted and mgr["available"]
sys.exit(not (done and mgr["num_standbys"] == 1))' "$1"; do sleep 0.2; done
END
}

seed=$(mktemp)
trap 'rm -f "$seed"' EXIT
for name in "${names[@]:1}"; do on "$name" true & done
make_seed > "$seed"
jobs=()
for index in "${!names[@]}"; do
  make_host "${names[index]}" "${letters[index]}" < "$seed" &
  jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job"; done
wait_until_up
