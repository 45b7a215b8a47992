"""Values that the rest of the package reads: frozen, parsed once at the edge."""
