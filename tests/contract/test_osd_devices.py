"""What a plan can want of a device is what role and module take, name by name and type by type."""

from dataclasses import MISSING, fields

import yaml

from orchestrator.model.decisions import Mode, WantedDevice
from tests.contract.paths import ROOT

TYPES = {str: "str", int: "int", bool: "bool", Mode: "str"}
MODULE = ROOT / "plugins" / "modules" / "ceph_osd.py"


def wanted() -> dict[str, str]:
    return {field.name: TYPES[field.type] for field in fields(WantedDevice)}  # type: ignore[index]


def test_the_role_takes_them() -> None:
    specs = yaml.safe_load((ROOT / "roles/osd/meta/argument_specs.yml").read_text())
    options = specs["argument_specs"]["main"]["options"]["osd_devices"]["options"]

    assert {name: one["type"] for name, one in options.items()} == wanted()
    assert {str(mode) for mode in Mode} == set(options["mode"]["choices"])


def test_the_module_takes_them() -> None:
    documentation = MODULE.read_text().split('DOCUMENTATION = r"""', 1)[1].split('"""', 1)[0]
    options = yaml.safe_load(documentation)["options"]["devices"]["suboptions"]

    types = {name: one["type"].replace("path", "str") for name, one in options.items()}
    assert types == wanted()


def test_only_the_path_is_required() -> None:
    assert [one.name for one in fields(WantedDevice) if one.default is MISSING] == ["path"]
