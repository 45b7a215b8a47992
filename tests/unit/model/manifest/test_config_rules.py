"""What Ceph would refuse of its options is refused with the manifest, and not later by a run."""

import pytest

from tests.fakes.manifests import SPEC, parse, refusals

USED = "  storage: {useAllNodes: true}\n"


@pytest.mark.parametrize(
    "section",
    [
        "global",
        "mon",
        "osd.3",
        "client.rgw.a",
        "osd/class:ssd",
        "osd/rack:r1/class:ssd",
        "global/host:x",
    ],
)
def test_sections_that_ceph_has_are_taken(section: str) -> None:
    parse(f'{SPEC}  cephConfig: {{"{section}": {{debug_ms: "1"}}}}\n{USED}')


@pytest.mark.parametrize(
    ("section", "remedy"),
    [
        ("osdd", "did you mean osd?"),
        ("Global", "did you mean global?"),
        (
            "osd.3/ssd",
            (
                "use global, mon, mgr, osd, mds, client, an id as in osd.3, "
                "or a mask as in osd/class:ssd"
            ),
        ),
    ],
)
def test_a_strange_section_is_refused_with_the_one_that_was_meant(
    section: str, remedy: str
) -> None:
    path = f'["{section}"]' if "." in section else f".{section}"
    (found,) = refusals(f'{SPEC}  cephConfig: {{"{section}": {{debug_ms: "1"}}}}\n{USED}')
    assert found == (
        f"f.yaml:5: spec.cephConfig{path}: is no section of Ceph's options; remedy: {remedy}"
    )


def test_options_that_mons_do_not_store_are_refused() -> None:
    text = SPEC + (
        '  cephConfig: {global: {fsid: x, "mon host": y}}\n'
        "  cephConfigFromSecret: {osd: {host: {name: a, key: b}}}\n"
    )
    assert refusals(text + USED) == [
        (
            "f.yaml:5: spec.cephConfig.global.fsid: is an option that Ceph's mons do not store; "
            "remedy: leave it out"
        ),
        (
            'f.yaml:5: spec.cephConfig.global["mon host"]: is an option that Ceph\'s mons do not '
            "store; remedy: leave it out"
        ),
        (
            "f.yaml:6: spec.cephConfigFromSecret.osd.host: is an option that Ceph's mons do not "
            "store; remedy: leave it out"
        ),
    ]
