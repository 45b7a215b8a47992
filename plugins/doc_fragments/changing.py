"""What modules that change something say of check mode; what a difference shows is their own."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: It says what it would change.
    support: full
"""
