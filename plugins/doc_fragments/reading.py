"""What modules that only read say of check mode and diff mode."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: It only reads.
    support: full
  diff_mode:
    description: It changes nothing.
    support: none
"""
