"""A throw-away Kubernetes: a real control plane, and if asked for real nodes with disks."""
