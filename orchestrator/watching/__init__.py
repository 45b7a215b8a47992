"""`orchestrator run --watch`: a run again when the files change, and from time to time.

The arrow from a changed file to the pass: files → sight → loop → `Workstation.run`. The files are
read anew for each run, so nothing is remembered but which cluster is meant.
"""
