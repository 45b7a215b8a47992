import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.model.spec import base


@pytest.mark.parametrize("text", ["45s", "1h30m", "1.5h", "0", "100ms", "10us", "-1s", ""])
def test_go_durations_are_taken(text):
    assert TypeAdapter(base.Duration).validate_python(text) == text


@pytest.mark.parametrize("text", ["45", "s", "1 h", "1d", "1h30", "h1"])
def test_other_durations_are_refused(text):
    with pytest.raises(ValidationError, match="must be a duration"):
        TypeAdapter(base.Duration).validate_python(text)


@pytest.mark.parametrize("value", [500, "500M", "10Gi", "1.5", "1e3", "250m", "-1k", ".5"])
def test_quantities_are_taken(value):
    assert TypeAdapter(base.Quantity).validate_python(value) == value


@pytest.mark.parametrize("value", ["500MB", "10 Gi", "", "Gi", "1..5", True, 1.5, None])
def test_other_quantities_are_refused(value):
    with pytest.raises(ValidationError):
        TypeAdapter(base.Quantity).validate_python(value)


def test_sections_are_frozen_and_strict():
    class Sample(base.Section):
        use_all: bool = False

    sample = Sample.model_validate({"useAll": True})
    with pytest.raises(ValidationError, match="frozen"):
        sample.use_all = False
    for wrong in ({"useAll": "true"}, {"useAll": 1}, {"other": 1}):
        with pytest.raises(ValidationError):
            Sample.model_validate(wrong)
