"""Which document of the text is the cluster: files often hold pools and volumes beside it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.model import names
from orchestrator.model.manifest import fields, metadata, nodes
from orchestrator.model.manifest.problems import Problem, SpecError, value_text
from orchestrator.model.spec import API_VERSION, KIND

_EXPECTED = f"apiVersion: {API_VERSION} and kind: {KIND}"


@dataclass(frozen=True, slots=True)
class Document:
    """One Kubernetes object of the text."""

    node: nodes.Node
    raw: Mapping[str, object]

    @property
    def api_version(self) -> str:
        return _text(self.raw.get("apiVersion"))

    @property
    def kind(self) -> str:
        return _text(self.raw.get("kind"))

    @property
    def is_cluster(self) -> bool:
        return self.kind == KIND

    @property
    def key(self) -> names.ClusterKey:
        found = self.raw.get("metadata")
        values = found if isinstance(found, Mapping) else {}
        namespace = _text(values.get("namespace")) or metadata.DEFAULT_NAMESPACE
        return names.ClusterKey(namespace, _text(values.get("name")))

    def answers_to(self, name: str) -> bool:
        return name in {self.key.name, str(self.key)}


def split(
    values: tuple[nodes.Node, ...], source: str
) -> tuple[tuple[Document, ...], list[Problem]]:
    """Make documents of the text's values, those inside a List too; empty ones are no documents."""
    documents: list[Document] = []
    problems: list[Problem] = []
    for node in values:
        raw = nodes.plain(node)
        if raw is None:
            continue
        if isinstance(raw, Mapping):
            documents.extend(_members(Document(node, raw)))
        else:
            problems.append(
                Problem(
                    source=source,
                    line=node.line,
                    column=node.column,
                    message="is not a Kubernetes object: it must be a mapping of fields",
                    remedy=f"begin the document with {_EXPECTED}",
                )
            )
    return tuple(documents), problems


def choose(documents: tuple[Document, ...], *, source: str, name: str) -> Document:
    """Give the one CephCluster, or the one asked for."""
    clusters = [document for document in documents if document.is_cluster]
    if name:
        clusters = [document for document in clusters if document.answers_to(name)]
    match clusters:
        case [cluster]:
            return cluster
        case []:
            raise SpecError([_none(documents, source=source, name=name)])
        case _:
            raise SpecError([_several(clusters, source)])


def others(documents: tuple[Document, ...], source: str) -> Iterator[Problem]:
    """Name what else the text holds in one warning."""
    ignored = [document for document in documents if not document.is_cluster]
    if ignored:
        kinds = ", ".join(
            f"{document.kind or 'an object without kind'} (line {document.node.line})"
            for document in ignored
        )
        yield Problem(
            source=source,
            line=ignored[0].node.line,
            column=ignored[0].node.column,
            message=f"objects of other kinds are ignored: {kinds}",
        )


def _members(document: Document) -> Iterator[Document]:
    """Open the List that `kubectl get -o yaml` writes."""
    items = document.raw.get("items")
    node = document.node
    if not document.kind.endswith("List") or not isinstance(items, tuple):
        yield document
        return
    held = node.values["items"] if isinstance(node, nodes.Fields) else node
    if isinstance(held, nodes.Items):
        for item, raw in zip(held.items, items, strict=True):
            if isinstance(raw, Mapping):
                yield Document(item, raw)


def _none(documents: tuple[Document, ...], *, source: str, name: str) -> Problem:
    if not documents:
        return Problem(
            source=source,
            message="holds no object: the file is empty",
            remedy=f"write a CephCluster into it, with {_EXPECTED}",
        )
    if name and any(document.is_cluster for document in documents):
        return Problem(
            source=source,
            message=f"holds no CephCluster named {name}",
            remedy=f"choose one of: {_listed(documents)}",
        )
    first = documents[0]
    near = fields.closest(first.kind, (KIND,))
    line, column = nodes.place(first.node, ("kind",))
    return Problem(
        source=source,
        line=line,
        column=column,
        path="kind",
        value=value_text(first.kind) if first.kind else "",
        message=f"is not a {KIND}" if first.kind else "is required",
        remedy=f"did you mean {near}?" if near else f"begin the manifest with {_EXPECTED}",
    )


def _several(clusters: list[Document], source: str) -> Problem:
    second = clusters[1]
    differ = len({cluster.key for cluster in clusters}) == len(clusters)
    return Problem(
        source=source,
        line=second.node.line,
        column=second.node.column,
        message=f"holds {len(clusters)} CephClusters: {_listed(tuple(clusters))}",
        remedy="choose one with --name" if differ else "keep one of them",
    )


def _listed(documents: tuple[Document, ...]) -> str:
    return ", ".join(
        f"{document.key} (line {document.node.line})"
        for document in documents
        if document.is_cluster
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
