"""Where the sources are that a contract compares."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ROOKS = ROOT.parent / "shared" / "reference" / "rook-examples"
"""Rook's own manifests, which are no part of the project: they are read from beside it."""

ROOKS_CRD = ROOKS / "cephclusters-crd.yaml"


def rooks_files_are_here() -> bool:
    """Say whether Rook's files are there; where they must be, their absence is a failure."""
    if ROOKS_CRD.is_file():
        return True
    if os.environ.get("CI"):
        raise FileNotFoundError(f"{ROOKS_CRD} must be present in CI")
    return False


beside_rooks = pytest.mark.skipif(not rooks_files_are_here(), reason=f"{ROOKS} is not here")
