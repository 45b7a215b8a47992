"""Options of the modules that write a cluster's identity before its first mon is made."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  fsid:
    description: The cluster's fsid.
    type: str
    required: true
  mon_key:
    description: The key of C(mon.).
    type: str
    required: true
  admin_key:
    description: The key of C(client.admin).
    type: str
    required: true
"""
