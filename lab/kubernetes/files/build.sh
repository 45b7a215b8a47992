#!/bin/sh
# Builds Kubernetes from Debian's source package, without a network: build.sh SOURCE TREE BINARIES
set -eu
source=$1 tree=$2 out=$3
export GOPATH="$tree" GOCACHE="$tree/cache" GO111MODULE=off GOPROXY=off GOFLAGS=
export PATH="/usr/lib/go-1.19/bin:$PATH"

kubernetes=$tree/src/k8s.io/kubernetes
mkdir -p "$kubernetes"
tar -xzf "$source" --strip-components=1 -C "$kubernetes"
cd "$kubernetes"

# The reflect2 inside the tree reads Go's own maps in a way that Go 1.19 no longer allows: the API
# server would crash at its first custom resource. Debian's package of it is newer.
rm -rf vendor/github.com/modern-go/reflect2
cp -r /usr/share/gocode/src/github.com/modern-go/reflect2 vendor/github.com/modern-go/reflect2

make WHAT="cmd/kube-apiserver cmd/kube-controller-manager cmd/kube-scheduler cmd/kubelet cmd/kube-proxy cmd/kubectl" \
  KUBE_GIT_VERSION=v1.20.2 KUBE_GIT_MAJOR=1 KUBE_GIT_MINOR=20 KUBE_GIT_COMMIT=x \
  KUBE_GIT_TREE_STATE=archive KUBE_BUILD_PLATFORMS=linux/amd64
cp _output/local/bin/linux/amd64/kube* "$out"

CGO_ENABLED=0 go build -ldflags '-s -w' -o "$out/pause" "${0%/*}/pause.go"
