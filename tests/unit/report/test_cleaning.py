"""No key and no hidden character reaches the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from orchestrator.report.cleaning import clean
from tests.fakes.reports import KEY


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"[client.admin]\n\tkey = {KEY}\n", "[client.admin]\n\tkey = ********\n"),
        (f"auth: {KEY} refused", "auth: ******** refused"),
        ("a\x00b\x1b[31m", "a\\u0000b\\u001b[31m"),
        ("evil\u202egnp.exe", "evil\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("half \ud800", "half \\ud800"),
        ("Büro-ホスト", "Büro-ホスト"),
    ],
)
def test_texts_are_cleaned(text, expected):
    assert clean(text) == expected


@given(st.text(st.characters()))
def test_whatever_comes_can_be_written(text):
    str(clean(text)).encode()


def test_markup_of_the_template_and_numbers_stay():
    markup = Markup("<b>\u200b</b>")

    assert clean(markup) is markup
    assert clean(7) == 7
