"""Settings are checked by their declarations, with a message for each."""

import dataclasses
import math

import pytest

from studio.compare.choices import StudySettings
from studio.runs.choices import DeclaredSettings, SearchSettings, TrialSettings
from studio.setting import iter_settings

CHECKED = [
    pytest.param(record, each, id=f"{record.__name__}-{each.name}")
    for record in (DeclaredSettings, StudySettings)
    for each in iter_settings(record)
    if each.error_message
]


@pytest.mark.parametrize(("record", "declared"), CHECKED)
def test_invalid_settings_are_rejected_with_message(record, declared):
    assert record(**{declared.name: declared.default}).list_problems() == []
    if declared.choices or declared.pattern:
        invalid_values = ["another", 7]
    else:
        least = declared.low - 1 if declared.above is None else declared.above
        invalid_values = [least, "7", True, math.nan]
    invalid_values += [] if declared.optional else [None]
    for value in invalid_values:
        (sentence,) = record(**{declared.name: value}).list_problems()
        assert sentence.endswith("given.")
        assert (f"{value:g}" if isinstance(value, float) else repr(value)) in sentence


def test_subclass_can_override_default_of_setting():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Patient(SearchSettings):
        trial_seconds: float = 7.0

    settings_by_name = {each.name: each for each in iter_settings(Patient)}
    assert settings_by_name["trial_seconds"].default == 7.0
    assert [*settings_by_name] == [each.name for each in iter_settings(SearchSettings)]
    assert (
        Patient(trial_seconds=0.0).list_problems()
        == TrialSettings(trial_seconds=0.0).list_problems()
    )


def test_unset_limit_is_described_as_no_limit():
    limits = [each for each in iter_settings(SearchSettings) if each.group in {"budget", "time"}]
    assert {each.name for each in limits} == {"budget", "seconds"}
    assert all("limit" in each.empty for each in limits)
