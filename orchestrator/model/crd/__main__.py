"""Prints the CustomResourceDefinition: `python -m orchestrator.model.crd`."""

import sys

import yaml

from orchestrator.model.crd import crd

HEAD = """\
# Made from the models in orchestrator/model by `make crds`; not edited by hand.
# yamllint disable rule:line-length
"""


class _Plain(yaml.SafeDumper):
    """YAML as people write it: in full where a value occurs twice."""

    def ignore_aliases(self, _data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002
        del indentless
        super().increase_indent(flow, indentless=False)


def text() -> str:
    return HEAD + yaml.dump(crd(), Dumper=_Plain, sort_keys=False, width=100)


if __name__ == "__main__":
    sys.stdout.write(text())
