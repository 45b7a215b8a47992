"""Manifests: YAML text in, a CephCluster and warnings out, or every problem at once.

Pure: no file is opened here. The first arrow of the data flow: spec ← store.
"""

from orchestrator.model.manifest.parsing import Manifest, parse_manifest, parse_object
from orchestrator.model.manifest.problems import Problem, SpecError
from orchestrator.model.manifest.support import Platform

__all__ = ["Manifest", "Platform", "Problem", "SpecError", "parse_manifest", "parse_object"]
