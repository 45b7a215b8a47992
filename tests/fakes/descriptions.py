"""Descriptions of daemons as the role `daemon` gives them to its modules."""


def entry(kind, name, **values):
    """A daemon of which nothing special is wanted."""
    return {
        "type": kind,
        "id": name,
        "record": "",
        "program": "",
        "data_dir": f"/var/lib/ceph/{kind}/ceph-{name}",
        "owner": "ceph",
        "init": [],
        "before_start": [],
        "environment": {},
        "settings": {},
        "data": "keep",
        "restart": True,
        "restart_on": "",
        **values,
    }
