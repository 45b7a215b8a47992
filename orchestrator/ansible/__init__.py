"""The arrow Step → inventory and variables → ansible-runner → events → Outcome."""
