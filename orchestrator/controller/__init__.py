"""The arrow from a change in the cluster to a reconcile pass: watch → key → queue → worker.

The queue carries names and never events (DESIGN: level-based); each pass looks for itself.
"""
