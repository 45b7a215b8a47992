#!/bin/sh
# First process of a node: makes the container look like a machine of its own, then boots it. /lab is
# the node's folder of the lab on the outside, read only.
set -eu

# What pods mount has to reach other pods of this node, and never the machine outside.
mount --make-rshared /

# Only this node's disks. Its pods get a sysfs of their own, hence the same in base-spec.json below.
mount --bind /lab/block /sys/block
mount --bind /lab/class-block /sys/class/block
/usr/local/lib/lab/disks.sh

# Pods of this node reach those of the others by the nodes' addresses, and the world as the node.
echo 1 > /proc/sys/net/ipv4/ip_forward
while read -r subnet node; do
  ip route replace "$subnet" via "$node"
done < /lab/routes
iptables --table nat --append POSTROUTING --source "$LAB_PODS" ! --destination "$LAB_PODS" --jump MASQUERADE
iptables --policy FORWARD ACCEPT

install -d /etc/cni/net.d /etc/containerd
install -m 0644 /lab/cni.conflist /etc/cni/net.d/10-lab.conflist
here=/usr/local/lib/lab-kubernetes
install -m 0644 "$here/containerd.toml" /etc/containerd/config.toml
ctr oci spec | jq '.mounts += [
  {type: "bind", source: "/lab/block", destination: "/sys/block", options: ["rbind", "ro"]},
  {type: "bind", source: "/lab/class-block", destination: "/sys/class/block", options: ["rbind", "ro"]}
]' > /etc/containerd/base-spec.json
install -m 0644 "$here/kubelet.service" "$here/kube-proxy.service" /etc/systemd/system/
ln -sf ../kubelet.service ../kube-proxy.service /etc/systemd/system/multi-user.target.wants/
exec /sbin/init
