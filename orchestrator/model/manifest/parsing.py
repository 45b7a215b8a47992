"""From text or a Kubernetes object to a CephCluster: the edge where a manifest is parsed once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from orchestrator.model import names
from orchestrator.model.manifest import (
    documents,
    fields,
    metadata,
    nodes,
    problems,
    rules,
    support,
    tree,
    validation,
)
from orchestrator.model.manifest.problems import ABSENT, Finding, Path, Problem, SpecError, in_order
from orchestrator.model.manifest.support import Platform
from orchestrator.model.spec import API_VERSION, KIND, CephCluster, CephClusterSpec

_TOP = ("apiVersion", "kind", "metadata", "spec", "status")

Locate = Callable[[Path], tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A manifest that can be acted on, and what its author should know."""

    cluster: CephCluster
    warnings: tuple[Problem, ...] = ()


def parse_manifest(
    text: str, *, source: str, name: str = "", platform: Platform = Platform.HOSTS
) -> Manifest:
    """Read the CephCluster of a YAML text.

    `source` names the text in messages; `name` (or namespace/name) chooses when there are several;
    `platform` is where the cluster is to run.
    Raises SpecError with every problem found, and nothing else.
    """
    reading = tree.read(text, source)
    if reading.problems and not reading.documents:
        raise SpecError(reading.problems)
    found, broken = documents.split(reading.documents, source)
    earlier = (*reading.problems, *broken)
    try:
        chosen = documents.choose(found, source=source, name=name)
    except SpecError as error:
        raise SpecError((*earlier, *(() if earlier else error.problems))) from None
    reader = _Reader(source, lambda path: nodes.place(chosen.node, path), platform)
    manifest = reader.read(chosen.raw, earlier)
    others = documents.others(found, source)
    return Manifest(cluster=manifest.cluster, warnings=in_order((*others, *manifest.warnings)))


def parse_object(raw: Mapping[str, object], *, source: str) -> Manifest:
    """Read a CephCluster as the Kubernetes API gives it: the same rules, but no lines to name."""
    reader = _Reader(source, lambda _: (0, 0), Platform.KUBERNETES)
    return reader.read(_without_nulls(raw), ())


def _without_nulls(value: object) -> dict[str, object]:
    cleaned = _cleaned(value)
    return cleaned if isinstance(cleaned, dict) else {}


def _cleaned(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _cleaned(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return tuple(_cleaned(item) for item in value)
    return value


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one object of one source."""

    source: str
    locate: Locate
    platform: Platform

    def read(self, raw: Mapping[str, object], earlier: Iterable[Problem]) -> Manifest:
        meta = validation.check(metadata.Metadata, raw.get("metadata", {}), ("metadata",))
        spec = validation.check(CephClusterSpec, raw.get("spec", {}), ("spec",))
        errors = (*_header(raw), *_metadata(meta), *_refusals(spec))
        refused = (*earlier, *self._problems(errors))
        if refused:
            raise SpecError(refused)
        warned = (*_strange(raw), *_warnings(spec))
        ignored = tuple(one.path for one in warned if one.message.endswith(": ignored"))
        return Manifest(
            cluster=_cluster(meta.model, spec.model),
            warnings=(
                *self._problems(warned),
                *self._unsupported(spec.model, ignored),
            ),
        )

    def _problems(self, findings: Iterable[Finding]) -> tuple[Problem, ...]:
        return tuple(self._problem(finding) for finding in findings)

    def _problem(self, finding: Finding) -> Problem:
        line, column = self.locate(finding.path)
        return problems.problem(finding, source=self.source, line=line, column=column)

    def _unsupported(self, spec: CephClusterSpec, told: tuple[Path, ...]) -> tuple[Problem, ...]:
        """Fields without effect, but for those below a path of which more was told already."""
        found = [("spec", *path) for path in support.unsupported(spec, self.platform)]
        below = [path for path in found if not any(path[: len(one)] == one for one in told)]
        if not below:
            return ()
        paths = tuple(path[1:] for path in below)
        line, column = min(self.locate(path) for path in below)
        message = support.sentence(paths)
        return (Problem(source=self.source, line=line, column=column, message=message),)


def _header(raw: Mapping[str, object]) -> Iterable[Finding]:
    for key, expected in (("apiVersion", API_VERSION), ("kind", KIND)):
        value = raw.get(key, ABSENT)
        if value != expected:
            message = "is required" if value is ABSENT else f"must be {expected}"
            yield Finding((key,), message, f"write {key}: {expected}", value)
    if "spec" not in raw:
        yield Finding(("spec",), "is required", "add spec")


def _strange(raw: Mapping[str, object]) -> Iterable[Finding]:
    for key, value in raw.items():
        if key not in _TOP:
            near = fields.closest(key, _TOP)
            remedy = f"did you mean {near}?" if near else "remove it"
            yield Finding((key,), "is not a field of CephCluster: ignored", remedy, value)


def _metadata(meta: validation.Checked[metadata.Metadata]) -> Iterable[Finding]:
    yield from meta.refused
    broken = {finding.path for finding in meta.refused}
    for finding in metadata.names(meta.model):
        if finding.path not in broken and ("metadata",) not in broken:
            yield finding


def _refusals(spec: validation.Checked[CephClusterSpec]) -> Iterable[Finding]:
    yield from spec.refused
    yield from (finding for finding in spec.unknown if _selects(finding))
    yield from _under_spec(rules.apply(rules.REFUSALS, spec.model, _broken(spec)))


def _warnings(spec: validation.Checked[CephClusterSpec]) -> Iterable[Finding]:
    for finding in spec.unknown:
        if not _selects(finding):
            yield replace(finding, message=f"{finding.message}: ignored")
    yield from _under_spec(rules.apply(rules.WARNINGS, spec.model, ()))


def _selects(finding: Finding) -> bool:
    """Tell whether an unknown field could have selected a disk: a mistyped filter must not pass."""
    return finding.path[:2] == ("spec", "storage")


def _broken(spec: validation.Checked[CephClusterSpec]) -> tuple[Path, ...]:
    return tuple(finding.path[1:] for finding in spec.refused)


def _under_spec(findings: Iterable[Finding]) -> Iterable[Finding]:
    for finding in findings:
        yield Finding(("spec", *finding.path), finding.message, finding.remedy, finding.value)


def _cluster(meta: metadata.Metadata, spec: CephClusterSpec) -> CephCluster:
    namespace = meta.namespace or metadata.DEFAULT_NAMESPACE
    return CephCluster(
        key=names.ClusterKey(namespace, meta.name),
        spec=spec,
        generation=meta.generation,
        deleting=bool(meta.deletion_timestamp),
        annotations=meta.annotations,
        labels=meta.labels,
        uid=meta.uid,
    )
