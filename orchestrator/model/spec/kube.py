"""Kubernetes objects inside the spec: accepted and checked as the CRD does.

They say where pods run and what they may use. Nothing reads them on bare hosts.
"""

from collections.abc import Mapping

from pydantic import Field

from orchestrator.model.spec.base import (
    Int32,
    Int64,
    IntOrString,
    Quantity,
    Section,
    StringMap,
)


class KubeObject(Section):
    """A Kubernetes object, named as a whole when nothing acts on it."""


class Requirement(KubeObject):
    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(KubeObject):
    match_expressions: tuple[Requirement, ...] = ()
    match_labels: StringMap = Field(default_factory=dict)


class NodeSelectorTerm(KubeObject):
    match_expressions: tuple[Requirement, ...] = ()
    match_fields: tuple[Requirement, ...] = ()


class PreferredNode(KubeObject):
    preference: NodeSelectorTerm
    weight: Int32


class NodeSelector(KubeObject):
    node_selector_terms: tuple[NodeSelectorTerm, ...]


class NodeAffinity(KubeObject):
    preferred_during_scheduling_ignored_during_execution: tuple[PreferredNode, ...] = ()
    required_during_scheduling_ignored_during_execution: NodeSelector | None = None


class PodAffinityTerm(KubeObject):
    topology_key: str
    label_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()


class PreferredPod(KubeObject):
    pod_affinity_term: PodAffinityTerm
    weight: Int32


class PodAffinity(KubeObject):
    preferred_during_scheduling_ignored_during_execution: tuple[PreferredPod, ...] = ()
    required_during_scheduling_ignored_during_execution: tuple[PodAffinityTerm, ...] = ()


class Toleration(KubeObject):
    effect: str = ""
    key: str = ""
    operator: str = ""
    toleration_seconds: Int64 | None = None
    value: str = ""


class TopologySpreadConstraint(KubeObject):
    max_skew: Int32
    topology_key: str
    when_unsatisfiable: str
    label_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    min_domains: Int32 | None = None
    node_affinity_policy: str = ""
    node_taints_policy: str = ""


class Placement(KubeObject):
    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()


class ResourceClaim(KubeObject):
    name: str
    request: str = ""


class VolumeResources(KubeObject):
    limits: Mapping[str, Quantity] = Field(default_factory=dict)
    requests: Mapping[str, Quantity] = Field(default_factory=dict)


class Resources(VolumeResources):
    claims: tuple[ResourceClaim, ...] = ()


class DataSource(KubeObject):
    kind: str
    name: str
    api_group: str = ""


class DataSourceRef(DataSource):
    namespace: str = ""


class ClaimSpec(KubeObject):
    access_modes: tuple[str, ...] = ()
    data_source: DataSource | None = None
    data_source_ref: DataSourceRef | None = None
    resources: VolumeResources = VolumeResources()
    selector: LabelSelector | None = None
    storage_class_name: str | None = None
    volume_attributes_class_name: str | None = None
    volume_mode: str | None = None
    volume_name: str = ""


class ClaimMetadata(KubeObject):
    annotations: StringMap = Field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    labels: StringMap = Field(default_factory=dict)
    name: str = ""
    namespace: str = ""


class VolumeClaimTemplate(KubeObject):
    metadata: ClaimMetadata = ClaimMetadata()
    spec: ClaimSpec = ClaimSpec()


class ExecAction(KubeObject):
    command: tuple[str, ...] = ()


class GrpcAction(KubeObject):
    port: Int32
    service: str = ""


class HttpHeader(KubeObject):
    name: str
    value: str


class HttpGetAction(KubeObject):
    port: IntOrString
    host: str = ""
    http_headers: tuple[HttpHeader, ...] = ()
    path: str = ""
    scheme: str = ""


class TcpSocketAction(KubeObject):
    port: IntOrString
    host: str = ""


class Probe(KubeObject):
    exec: ExecAction | None = None
    failure_threshold: Int32 | None = None
    grpc: GrpcAction | None = None
    http_get: HttpGetAction | None = None
    initial_delay_seconds: Int32 | None = None
    period_seconds: Int32 | None = None
    success_threshold: Int32 | None = None
    tcp_socket: TcpSocketAction | None = None
    termination_grace_period_seconds: Int64 | None = None
    timeout_seconds: Int32 | None = None


class ObjectReference(KubeObject):
    api_version: str = ""
    field_path: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    uid: str = ""


class EndpointAddress(KubeObject):
    ip: str
    hostname: str = ""
    node_name: str | None = None
    target_ref: ObjectReference | None = None


class SecretKey(KubeObject):
    key: str
    name: str = ""
    optional: bool = False
