"""Texts of users reach Ansible as they are."""

import yaml

from orchestrator.ansible import unsafe


def test_every_text_has_ansibles_tag_and_nothing_else_has():
    value = {"a": "{{ x }}", "b": [1, True, None, "y"], "c": {"d": "multi\nline: {% x %}"}}
    text = yaml.safe_dump(unsafe.plain(value))
    assert 'a: !unsafe "{{ x }}"' in text
    assert '- !unsafe "y"' in text

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))
    assert yaml.load(text, Loader) == value  # noqa: S506 - a safe loader with one tag more
