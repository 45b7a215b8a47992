"""Real Ceph on real hosts."""
