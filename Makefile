# Everything a person or a machine runs here. Each target does its own set-up: the first time it
# installs what is missing, later it finds that nothing is.

CEPH ?= 20
PYTHON ?= python3
# How many labs the tests keep up side by side; a lab waits more than it works.
LABS ?= 2

# What the lab and the tools need from Debian; the one list of it.
PACKAGES := conmon iproute2 iptables mmdebstrap mount netavark nftables openssh-client podman \
  python3 python3-venv runc
# What the tests need besides: a browser that looks at the page of the report, and filesystems.
TEST_PACKAGES := chromium e2fsprogs
# What builds Kubernetes from Debian's source, once, and what its control plane runs on.
KUBERNETES_PACKAGES := dpkg-dev etcd-server gcc golang-1.19-go golang-github-modern-go-reflect2-dev \
  libc6-dev make rsync

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export LC_ALL := C.UTF-8
# The theme of the documentation would advertise another tool at each build.
export NO_MKDOCS_2_WARNING := 1
export PATH := $(CURDIR)/.venv/bin:$(PATH):/usr/sbin:/sbin
TOGETHER := $(MAKE) --jobs=$(shell nproc) --output-sync=target
COLLECTION := .venv/collections/ansible_collections/ceph_orchestrator/ceph
# Names the content of pyproject.toml, so that a changed one is installed anew.
READY := .venv/ready-$(firstword $(shell sha256sum pyproject.toml))
CLUSTER := -f examples/cluster.yaml -i .lab/inventory.yml
SCENARIOS := default mon mgr osd kubernetes
LINTERS := ruff format mypy mypy-plugins imports yaml ansible docs

.PHONY: help demo demo-kubernetes demo-down test test-fast test-hosts test-kubernetes test-long lint bench molecule \
  format crds docs reference picture clean clean-cache packages venv kubernetes $(LINTERS:%=lint-%)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

demo: ## build a Ceph cluster on three throw-away hosts (CEPH=20, 18 or 16)
	@$(TOGETHER) venv image-$(CEPH)
	@grep -qs '"ceph": $(CEPH),' .lab/lab.json || $(MAKE) demo-down
	python -m lab up --ceph $(CEPH)
	orchestrator run $(CLUSTER)
	orchestrator status $(CLUSTER) --wait 60
	python -m lab ssh ceph-1 ceph -s

demo-kubernetes: ## build a Ceph cluster inside Kubernetes: the lab's, or that of KUBECONFIG
	@$(TOGETHER) venv kubernetes
	@[ -n "$${KUBECONFIG:-}" ] || $(TOGETHER) image-20 image-node
	python -m lab kubernetes demo

demo-down: venv ## remove the demo's hosts, disks and network, and what is remembered of them
	@[ -z "$${KUBECONFIG:-}" ] || python -m lab kubernetes demo-down
	python -m lab down
	rm -rf "$${XDG_STATE_HOME:-$$HOME/.local/state}/orchestrator/rook-ceph/demo"

test: ## run every check but test-long: linters, units and real clusters
	@$(MAKE) lint
	@$(MAKE) packages PACKAGES='$(TEST_PACKAGES)'
	@$(TOGETHER) image-20 image-16
	@# Hosts and nodes wait more than they work, and building Kubernetes takes minutes: all at once.
	@$(MAKE) --jobs=2 --output-sync=none test-hosts test-kubernetes

test-fast: ## run the linters and the tests that need no hosts
	@$(MAKE) lint
	@$(MAKE) packages PACKAGES='$(TEST_PACKAGES)'
	pytest -m 'not e2e and not kubernetes and not packaging' --numprocesses auto

test-hosts:
	pytest -m 'not e2e and not kubernetes and not long' --numprocesses auto
	pytest -m 'e2e and not kubernetes and not long' --numprocesses $(LABS) --dist loadgroup

test-long: venv ## run the tests that show the same on more cases, in more time
	@$(TOGETHER) image-20 image-16 image-node kubernetes
	pytest -m 'long' --numprocesses $(LABS) --dist loadgroup

test-kubernetes: kubernetes
	pytest -m 'kubernetes and not long'

lint: venv ## check style, types, imports, YAML and the collection
	@$(TOGETHER) --keep-going $(LINTERS:%=lint-%)

molecule: venv ## run every Molecule scenario, one after the other (SCENARIOS="osd mon" for some)
	@$(TOGETHER) image-20 $(if $(filter kubernetes,$(SCENARIOS)),image-node kubernetes)
	for scenario in $(SCENARIOS); do molecule test --scenario-name $$scenario; done

bench: ## measure against plain commands on the same hosts; writes .bench/latest.json
	@$(TOGETHER) venv image-20 image-node kubernetes
	python -m bench

format: venv ## format and fix what can be fixed without a person
	ruff check --fix .
	ruff format .

crds: venv ## write the CustomResourceDefinition from the models
	python -m orchestrator.model.crd > deploy/crds/cephclusters.ceph.rook.io.yaml

docs: venv ## build the documentation's site into site/
	mkdocs build --strict --quiet

reference: venv ## write the pages of docs/ that are made from the sources
	python -m handbook

picture: venv image-20 ## draw the README's terminal from a real run; removes the demo before and after
	@$(MAKE) demo-down
	python -m lab up
	python -m handbook.picture
	@$(MAKE) demo-down

clean: ## remove labs, the virtual environment and all that was made here
	for lab in .lab .lab-*; do [ ! -e $$lab ] || { $(MAKE) venv && python -m lab down --dir $$lab; }; done
	rm -rf .venv .bench .cache .ansible .*_cache .hypothesis build dist site *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +

clean-cache: venv ## remove the images of lab hosts too
	python -m lab remove-images

packages:
	@# A source of packages that does not answer is no matter as long as another has them.
	@missing=(); for name in $(PACKAGES); do \
	  dpkg-query --show --showformat '$${db:Status-Status}' $$name 2>/dev/null | grep -qx installed || missing+=($$name); \
	done; \
	if [ $${#missing[@]} -gt 0 ]; then \
	  echo "installing $${missing[*]}"; \
	  log=$$(mktemp); apt-get update >$$log 2>&1 || true; \
	  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$${missing[@]}" \
	    >>$$log 2>&1 || { cat $$log; exit 1; }; rm $$log; \
	fi

venv: $(READY)

$(READY): pyproject.toml | packages
	@echo 'installing the Python packages into .venv'
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[kubernetes]' --group dev
	mkdir -p $(dir $(COLLECTION))
	ln -sfn $(CURDIR) $(COLLECTION)
	rm -f .venv/ready-*
	touch $@

kubernetes: packages ## build Kubernetes' programs for the lab, unless the cache has them
	@$(MAKE) packages PACKAGES='$(KUBERNETES_PACKAGES)'
	@$(PYTHON) -m lab.kubernetes.binaries

image-%: packages
	@$(PYTHON) -m lab.images $*

lint-ruff: venv
	ruff check --quiet .

lint-format: venv
	ruff format --check --quiet .

lint-mypy: venv
	mypy --strict

lint-mypy-plugins: venv
	MYPYPATH=.venv/collections mypy --strict -p ansible_collections.ceph_orchestrator.ceph.plugins

lint-imports: venv
	lint-imports --no-logo

lint-yaml: venv
	yamllint --strict .

lint-ansible: venv
	ansible-lint --offline --profile production -q

lint-docs: venv
	mkdocs build --strict --quiet --site-dir .cache/site
