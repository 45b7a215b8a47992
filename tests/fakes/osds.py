"""What a plan says of OSDs, in words that tests compare."""

from dataclasses import replace

from orchestrator.model.facts import Facts, StopAnswer
from orchestrator.planning import osds
from tests.fakes import facts

SDC = "/dev/disk/by-id/wwn-sdc"
ALL = {"useAllNodes": True, "useAllDevices": True}


def lines(found, **spec):
    return [
        [f"{one.action} {one.subject} on {one.host}: {one.reason}" for one in step.changes]
        for step in osds.planned(facts.context(found, **spec)).steps
    ]


def notices(found, **spec):
    return [(one.code, one.host) for one in osds.planned(facts.context(found, **spec)).notices]


def blocked(found, **spec):
    return [(one.code, one.host) for one in osds.planned(facts.context(found, **spec)).blocked]


def with_disks(found: Facts, name, *disks):
    host = found.hosts[name]
    return facts.changed(found, replace(host, devices=(*host.devices, *disks)))


def stoppable(osd, *together):
    return StopAnswer(osd=osd, ok=True, osds=(osd, *together))
