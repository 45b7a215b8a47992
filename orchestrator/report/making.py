"""The arrow from a cluster's home to its page: record, artifacts and status in, HTML out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from orchestrator.model.names import ClusterKey
from orchestrator.report.page import page
from orchestrator.report.record import parse
from orchestrator.report.tasks import read
from orchestrator.stores import StoreError, files


def last_run(home: files.Home, key: ClusterKey, status: Mapping[str, Any], made: datetime) -> str:
    """The page of the cluster's last run; empty when none is known here."""
    noted = files.LastRunFile(home).get(key)
    if not noted:
        return ""
    record = parse(noted)
    if record is None:
        raise StoreError(f"{key}: another version noted the last run; run again and then report")
    tasks = {run.run: read(home.runs(key), run.run, run.playbook) for run in record.runs}
    return page(record, tasks, status, made, running=files.FileLock(home).held(key))
