"""YAML text to nodes that know their line: text in, values out.

Built from YAML's events rather than by PyYAML's constructors, because a manifest needs what these
do not give: the line of every field, duplicate keys as errors, the scalar types of Kubernetes
(dates and `1:30` stay text), and a bound on depth and on aliases however the text is nested.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from orchestrator.model.manifest import scalars
from orchestrator.model.manifest.nodes import Fields, Items, Node, Scalar
from orchestrator.model.manifest.problems import Problem

MAX_DEPTH = 64
MAX_NODES = 500_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNPRINTABLE = yaml.reader.Reader.NON_PRINTABLE
_CORE_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_COLLECTION_TAGS = frozenset({"!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
_TAB_INDENT = re.compile(r"[ ]*\t")


@dataclass(frozen=True, slots=True)
class Reading:
    documents: tuple[Node, ...]
    problems: tuple[Problem, ...]


class _StopReading(Exception):  # noqa: N818 (the text is not read further; not an error of the code)
    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read(text: str, source: str) -> Reading:
    """Read every document of the text; what is wrong with it as YAML is in `problems`."""
    builder = _Builder(source)
    try:
        _refuse_unprintable(text, source)
        for event in yaml.parse(text.removeprefix("\ufeff"), Loader=_LOADER):
            builder.take(event)
    except _StopReading as stop:
        builder.problems.append(stop.problem)
    except yaml.YAMLError as error:
        builder.problems.append(_syntax_problem(error, text, source))
    return Reading(tuple(builder.documents), tuple(builder.problems))


def _refuse_unprintable(text: str, source: str) -> None:
    if found := _UNPRINTABLE.search(text):
        before = text[: found.start()]
        line_start = before.rfind("\n") + 1
        raise _StopReading(
            Problem(
                source=source,
                line=before.count("\n") + 1,
                column=found.start() - line_start + 1,
                message=f"holds a character that YAML does not allow: U+{ord(found.group()):04X}",
                remedy="save the file as plain UTF-8 text",
            )
        )


def _syntax_problem(error: yaml.YAMLError, text: str, source: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else 0
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    start = getattr(error, "context_mark", None)
    if context:
        since = f" that starts on line {start.line + 1}" if start and start is not mark else ""
        reason = f"{reason} {context}{since}"
    message, remedy = f"is not valid YAML: {reason}", "correct the indentation or the quotes there"
    lines = text.splitlines()
    if 0 < line <= len(lines) and _TAB_INDENT.match(lines[line - 1]):
        message, remedy = "is indented with a tab, which YAML does not allow", "indent with spaces"
    return Problem(
        source=source,
        line=line,
        column=mark.column + 1 if mark else 0,
        message=message,
        remedy=remedy,
    )


@dataclass(slots=True)
class _Frame:
    """A collection that is not complete yet."""

    node: Items | Fields
    anchor: str | None
    key: Scalar | None = None
    skip: bool = False


class _Builder:
    """Puts events together, with a stack of its own: deep nesting is counted, not crashed on."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.documents: list[Node] = []
        self.problems: list[Problem] = []
        self._anchors: dict[str, Node] = {}
        self._stack: list[_Frame] = []

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self._anchors = {}
            case yaml.ScalarEvent():
                self._complete(self._scalar(event), event.anchor)
            case yaml.AliasEvent():
                self._add(self._alias(event))
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                frame = self._stack.pop()
                self._merge(frame.node)
                self._complete(frame.node, frame.anchor)

    def _problem(self, where: tuple[int, int], message: str, remedy: str) -> Problem:
        line, column = where
        return Problem(source=self.source, line=line, column=column, message=message, remedy=remedy)

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        line, column = _where(event)
        is_plain = event.implicit[0] and event.tag is None
        if is_plain or event.tag in _CORE_TAGS:
            value = scalars.resolve(event.value)
        else:
            value = event.value
            if event.tag is not None and event.tag not in _TEXT_TAGS:
                self._refuse_tag(event.tag, (line, column))
        return Scalar(line=line, column=column, value=value, text=event.value, plain=is_plain)

    def _refuse_tag(self, tag: str, where: tuple[int, int]) -> None:
        short = tag.replace("tag:yaml.org,2002:", "!!")
        self.problems.append(
            self._problem(
                where, f"has the YAML tag {short}, which has no meaning here", "remove it"
            )
        )

    def _alias(self, event: yaml.AliasEvent) -> Node:
        if event.anchor not in self._anchors:
            raise _StopReading(
                self._problem(
                    _where(event),
                    f"refers to *{event.anchor}, which is not complete or does not exist before",
                    f"put &{event.anchor} on a value further up",
                )
            )
        return self._anchors[event.anchor]

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        line, column = _where(event)
        if len(self._stack) >= MAX_DEPTH:
            raise _StopReading(
                self._problem(
                    (line, column), f"is nested more than {MAX_DEPTH} levels deep", "nest it less"
                )
            )
        if event.tag is not None and event.tag not in _COLLECTION_TAGS:
            self._refuse_tag(event.tag, (line, column))
        kind = Fields if isinstance(event, yaml.MappingStartEvent) else Items
        self._stack.append(_Frame(kind(line=line, column=column), event.anchor))

    def _complete(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        self._add(node)

    def _add(self, node: Node) -> None:
        if not self._stack:
            self.documents.append(node)
            return
        frame = self._stack[-1]
        frame.node.size += node.size
        if frame.node.size > MAX_NODES:
            raise _StopReading(
                self._problem(
                    (node.line, node.column),
                    f"stands for more than {MAX_NODES} values",
                    "use fewer aliases",
                )
            )
        match frame.node:
            case Items():
                frame.node.items.append(node)
            case Fields() if frame.key is None and not frame.skip:
                self._take_key(frame, node)
            case Fields():
                self._take_value(frame, frame.node, node)

    def _take_key(self, frame: _Frame, node: Node) -> None:
        if isinstance(node, Scalar):
            frame.key = node
        else:
            frame.skip = True
            self.problems.append(
                self._problem(
                    (node.line, node.column),
                    "is a key that is not text",
                    "write one word before the colon",
                )
            )

    def _take_value(self, frame: _Frame, fields: Fields, node: Node) -> None:
        key, frame.key, frame.skip = frame.key, None, False
        if key is None:
            return
        if key.plain and key.text == "<<":
            fields.merged.extend(node.items if isinstance(node, Items) else [node])
        elif key.text in fields.values:
            first = fields.keys[key.text][0]
            message = f"has the key {key.text!r} a second time; the first is on line {first}"
            self.problems.append(self._problem((key.line, key.column), message, "keep one of them"))
        else:
            fields.values[key.text] = node
            fields.keys[key.text] = (key.line, key.column)

    def _merge(self, node: Node) -> None:
        """Take over what `<<` names; the mapping's own keys go before."""
        for source in _merged(node):
            if not isinstance(source, Fields):
                self.problems.append(
                    self._problem(
                        (source.line, source.column), "cannot be merged by <<", "refer to a mapping"
                    )
                )
                continue
            for key, value in source.values.items():
                if isinstance(node, Fields) and key not in node.values:
                    node.values[key] = value
                    node.keys[key] = source.keys[key]


def _merged(node: Node) -> Iterator[Node]:
    if isinstance(node, Fields):
        yield from node.merged


def _where(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)
