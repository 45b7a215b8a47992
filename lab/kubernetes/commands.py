"""The words with which each program of a control plane is started."""

from lab.kubernetes.where import API_PORT, Where


def of(where: Where, name: str) -> list[str]:
    """Return the program's name and its options."""
    match name:
        case "etcd":
            return _etcd(where)
        case "kube-apiserver":
            return _api_server(where)
        case "kube-controller-manager":
            return _controller_manager(where)
        case "kube-scheduler":
            return _scheduler(where)
        case _:
            raise ValueError(f"a control plane has no {name}")


def _etcd(where: Where) -> list[str]:
    client, peer = f"http://{where.loopback}:2379", f"http://{where.loopback}:2380"
    return [
        "etcd",
        f"--data-dir={where.folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--logger=zap",
        "--log-level=warn",
    ]


def _api_server(where: Where) -> list[str]:
    pki = where.pki
    return [
        "kube-apiserver",
        f"--etcd-servers=http://{where.loopback}:2379",
        f"--bind-address={where.address}",
        f"--secure-port={API_PORT}",
        *_endpoint(where),
        f"--service-cluster-ip-range={where.services}",
        "--authorization-mode=Node,RBAC",
        "--allow-privileged",
        f"--client-ca-file={pki / 'ca.crt'}",
        f"--tls-cert-file={pki / 'server.crt'}",
        f"--tls-private-key-file={pki / 'server.key'}",
        f"--kubelet-client-certificate={pki / 'kubelet-client.crt'}",
        f"--kubelet-client-key={pki / 'kubelet-client.key'}",
        # Nodes have names that only the lab knows.
        "--kubelet-preferred-address-types=InternalIP",
        f"--service-account-key-file={pki / 'service-accounts.key'}",
        f"--service-account-signing-key-file={pki / 'service-accounts.key'}",
        "--service-account-issuer=https://kubernetes.default.svc",
    ]


def _endpoint(where: Where) -> list[str]:
    """Let the Service `kubernetes` lead to the API server, where there are pods to use it."""
    if where.reached_at:
        return [f"--advertise-address={where.reached_at}"]
    # A loopback address is refused as an endpoint; this one (RFC 5737) is nobody's.
    return ["--advertise-address=192.0.2.1", "--endpoint-reconciler-type=none"]


def _controller_manager(where: Where) -> list[str]:
    pki = where.pki
    return [
        "kube-controller-manager",
        f"--kubeconfig={where.kubeconfig('kube-controller-manager')}",
        f"--bind-address={where.loopback}",
        "--port=0",
        "--leader-elect=false",  # there is one of it, and it outlives the API server
        f"--root-ca-file={pki / 'ca.crt'}",
        f"--service-account-private-key-file={pki / 'service-accounts.key'}",
        "--use-service-account-credentials",
        f"--service-cluster-ip-range={where.services}",
        # A node that died is noticed in seconds, not in minutes.
        "--node-monitor-period=2s",
        "--node-monitor-grace-period=16s",
    ]


def _scheduler(where: Where) -> list[str]:
    return [
        "kube-scheduler",
        f"--kubeconfig={where.kubeconfig('kube-scheduler')}",
        f"--bind-address={where.loopback}",
        "--port=0",
        "--leader-elect=false",  # there is one of it, and it outlives the API server
    ]
