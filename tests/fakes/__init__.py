"""Stand-ins for unit tests and properties alone."""
