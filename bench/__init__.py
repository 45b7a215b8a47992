"""Measures the orchestrator against the same work done by plain commands on the same hosts."""
