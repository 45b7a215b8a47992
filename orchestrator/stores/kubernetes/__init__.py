"""The home of specs, status and identity in Kubernetes: the API server, in plain dictionaries."""
