"""Throw-away hosts with systemd, sshd, Ceph's packages and disks of their own.

The demo, the end-to-end tests and the benchmark need machines that behave like real ones and that
can be thrown away. Containers with a whole Debian inside do that without a virtual machine.
"""
