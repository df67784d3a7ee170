"""The journeys of a person, in a real window, by mouse and keyboard."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.window, pytest.mark.slow]

Perform = Callable[[str], Path]


def test_the_first_minute_from_a_sample_to_a_pickle(perform: Perform) -> None:
    folder = perform("journey_first_minute")
    pictures = {path.stem for path in folder.glob("*.png")}
    assert pictures == {
        "1-welcome", "2-data", "3-live", "4-back-in-time", "5-results", "6-taken-home",
    }  # fmt: skip


def test_two_runs_are_steered_and_survive_the_window(perform: Perform) -> None:
    assert len(list(perform("journey_steer").glob("*.png"))) == 3
