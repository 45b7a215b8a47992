"""The pages of docs/ that are made from the sources, so that they cannot be untrue."""
