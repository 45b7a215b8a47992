"""Artifacts and record of a run as the real ones are, with as many hosts as a test asks."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from orchestrator.model.names import HostName
from orchestrator.model.outcome import Failure
from orchestrator.model.plan import Action, Change, Reason
from orchestrator.report.record import Ending, PlaybookRun, Record, SeenDaemon, SeenHost

HOSTILE = (
    "<script>document.title='owned'</script>\"'><img src=x onerror=\"document.title='owned'\">"
    "</style></title>{{ 7*7 }}\u202egnp.exe\x1b[31m"
)
KEY = "AQBHaHRmAAAAABAAy8V4WmI1c0dWb3ZxYmZvQ2hhbmdl" + "=="
BEGIN = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
CENSORED = {"censored": "the output has been hidden due to the fact that 'no_log: true' was set"}


def ident(playbook: str, after: float = 0.0) -> str:
    at = BEGIN + timedelta(seconds=after)
    return f"{at:%Y%m%dT%H%M%S}.{at.microsecond // 1000:03d}-{playbook.removesuffix('.yml')}"


def result(
    host: str,
    task: str = "Make the mon",
    *,
    kind: str = "runner_on_ok",
    after: float = 1.0,
    seconds: float = 0.5,
    role: str = "mon",
    **res: Any,
) -> dict[str, Any]:
    """An event of ansible-runner's, `after` so many seconds of the run's begin."""
    start = BEGIN + timedelta(seconds=after)
    data = {
        "host": host,
        "task": task,
        "role": role,
        "task_action": "x.y.z",
        "start": start.isoformat(),
        "end": (start + timedelta(seconds=seconds)).isoformat(),
        "duration": seconds,
        "res": res,
    }
    return {"event": kind, "event_data": data}


def write_events(artifacts: Path, run: str, events: list[dict[str, Any]]) -> None:
    directory = artifacts / run / "job_events"
    directory.mkdir(parents=True)
    for number, event in enumerate(events, start=1):
        (directory / f"{number}-0000-aa.json").write_text(json.dumps({**event, "counter": number}))


def record(**values: Any) -> Record:
    plain = {"namespace": "rook-ceph", "name": "test", "generation": 3, "version": "0.1.0"}
    begun = {"started": BEGIN.isoformat(timespec="milliseconds")}
    return Record(**{**plain, **begun, **values})


def change(subject: str = "mon.a", host: str | None = "store-1", reason: str = "new") -> Change:
    where = HostName(host) if host else None
    return Change(action=Action.CREATE, subject=subject, host=where, reason=reason)


def full(names: list[str], word: str = "plain") -> Record:
    """A failed record that shows something in every section; `word` stands in every text."""
    place = HostName(names[0])
    return record(
        ended=(BEGIN + timedelta(seconds=60)).isoformat(timespec="milliseconds"),
        ending=Ending.FAILED,
        runs=(
            PlaybookRun(run=ident("facts.yml"), playbook="facts.yml"),
            PlaybookRun(
                run=ident("mon.yml", 6),
                playbook="mon.yml",
                changes=tuple(change(f"mon.a {word}", name, f"why {word}") for name in names),
            ),
        ),
        left=(change(f"mgr.a {word}", place, f"left {word}"),),
        blocked=(Reason(code="NoDevices", message=f"blocked {word}", host=place),),
        notices=(Reason(code="DevicesSkipped", message=f"noted {word}", host=place),),
        failures=(Failure(host=place, task=f"task {word}", message=f"failed {word}\nat 3"),),
        hosts=tuple(
            SeenHost(
                name=name,
                address="192.0.2.11",
                groups=("mons", f"group {word}"),
                ceph_version=f"20.2.4 {word}",
                error=f"not reached {word}" if number == 1 else "",
                daemons=(
                    SeenDaemon(name=f"mon.{word}", running=True, state="running, in quorum"),
                    SeenDaemon(name="osd.3", running=False, state=f"failed {word}"),
                ),
            )
            for number, name in enumerate(names)
        ),
    )


def events(names: list[str], word: str = "plain", tasks: int = 8) -> list[dict[str, Any]]:
    """Tasks one after the other on all hosts; the third changes, the last fails on the first."""
    found = []
    for number in range(tasks):
        for place, name in enumerate(names):
            failed = number == tasks - 1 and place == 0
            found.append(
                result(
                    name,
                    f"Task {number} {word}",
                    kind="runner_on_failed" if failed else "runner_on_ok",
                    after=8 + 2.0 * number,
                    seconds=0.4 + 0.3 * place,
                    role=f"role {word}",
                    changed=number == 2,
                    stdout=f"a result that is not for the page {KEY}",
                )
            )
    return found


def status(names: list[str], word: str = "plain") -> dict[str, Any]:
    return {
        "phase": "Progressing",
        "message": f"message {word}",
        "conditions": [
            {
                "type": "Progressing",
                "status": "False",
                "reason": f"reason {word}",
                "message": f"condition {word}",
                "lastTransitionTime": "2030-01-02T03:05:05Z",
            }
        ],
        "ceph": {
            "health": "HEALTH_WARN",
            "fsid": f"0a1b2c3d {word}",
            "details": {f"OSD_DOWN {word}": {"severity": "HEALTH_WARN", "message": word}},
        },
        "storage": {
            "deviceCounts": {"osd": 1, "selected": 0, "skipped": len(names)},
            "devicesOmitted": 4,
            "devices": [
                {
                    "host": name,
                    "device": f"/dev/disk/by-id/wwn-0x{number:016x}-{word}",
                    "size": 4 * 1024**4,
                    "model": word,
                    "state": "skipped" if number else "osd.3",
                    "code": "Filesystem",
                    "reason": f"it holds an ext4 filesystem {word}",
                }
                for number, name in enumerate(names)
            ],
        },
    }
