"""The journeys of a person, in a real window, by mouse and keyboard."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.assets import RESOURCES

pytestmark = [pytest.mark.window, pytest.mark.slow]

Perform = Callable[..., Path]


def test_the_first_minute_from_a_sample_to_a_pickle(perform: Perform) -> None:
    folder = perform("journey_first_minute")
    pictures = {path.stem for path in folder.glob("*.png")}
    assert pictures == {
        "1-welcome", "2-data", "3-live", "4-back-in-time", "5-results", "6-taken-home",
    }  # fmt: skip


def test_a_table_of_ones_own_from_the_space_to_predictions(perform: Perform) -> None:
    table = RESOURCES / "samples" / "diabetes.csv"
    folder = perform("journey_own_table", STAGE_TABLE=str(table))
    assert len(list(folder.glob("*.png"))) == 6


def test_two_runs_are_steered_and_survive_the_window(perform: Perform) -> None:
    assert len(list(perform("journey_steer").glob("*.png"))) == 6


def test_a_run_goes_on_from_an_iteration_with_another_method(perform: Perform) -> None:
    assert len(list(perform("journey_fork").glob("*.png"))) == 3


def test_methods_are_compared_stopped_and_gone_on_with(perform: Perform) -> None:
    assert len(list(perform("journey_compare").glob("*.png"))) == 5


def test_a_space_is_designed_by_mouse_and_keys(perform: Perform) -> None:
    assert len(list(perform("journey_space").glob("*.png"))) == 7


def test_a_finished_run_is_understood(perform: Perform) -> None:
    assert len(list(perform("journey_understand").glob("*.png"))) == 5


def test_everything_is_taken_home_and_works_there(perform: Perform) -> None:
    assert len(list(perform("journey_take_home").glob("*.png"))) == 4


def test_the_windows_heart_beats_during_two_busy_runs(
    perform: Perform, record_property: Callable[[str, object], None]
) -> None:
    told = json.loads((perform("journey_heartbeat") / "heartbeat.json").read_text())
    # How late beats are depends on the machine, so it is told at the end and not judged.
    record_property(
        "told",
        f"Event loop during two busy runs, {told['beats']} beats: "
        f"late by {told['p50_ms']:.2f} ms (median), {told['p99_ms']:.1f} ms (99 %), "
        f"{told['max_ms']:.0f} ms (most)",
    )
    assert told["beats"] >= 1000
    assert told["trials_meanwhile"] > 10
