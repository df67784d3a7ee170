"""The resources plot: time and memory of artificial runs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from studio.document.trials import Iteration
from studio.figures.marks import ThinBoxes
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.work.resources import (
    MAX_TRIALS,
    VIEWS,
    ResourceRecords,
    ResourcesPlot,
    assign_workers,
    describe_trial,
    make_time_ticks,
    summarise_plot,
)
from studio.runs.settings import RunSettings
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.visible_content import get_scene_position

SubjectMaker = Callable[..., Subject]

WORKERS = 2


def make_series(details: list[dict[str, Any]]) -> RunSeries:
    series = RunSeries(branch_parameter="algorithm", branches=("a", "b"))
    trials = [
        Trial(
            number,
            {"algorithm": "ab"[number % 2]},
            number,
            None if number == 3 else 0.1,
            fit_seconds=2.0,
            suggest_seconds=0.5,
            peak_memory=number * 100_000_000,
        )
        for number in range(1, len(details) + 1)
    ]
    records = [Iteration(n, details=each) for n, each in enumerate(details, start=1)]
    series.extend(trials, records)
    return series


TIMED = [
    {"elapsed": 3.0, "timing": [0.0, 0.5]},
    {"elapsed": 3.5, "timing": [0.5, 1.0]},
    {"elapsed": 6.0, "timing": [3.0, 3.5]},
    {"elapsed": 8.0, "timing": [3.5, 4.0]},
]
OLDER = [{"elapsed": each["elapsed"]} for each in TIMED]


def test_resources_follow_recorded_times() -> None:
    data = ResourceRecords(make_series(TIMED)).make_data(WORKERS, 4)
    np.testing.assert_allclose(data.fit_starts, [1.0, 1.5, 3.5, 4.0])
    np.testing.assert_allclose(data.fit_ends, [3.0, 3.5, 5.5, 6.0])
    assert data.elapsed == 8.0


def test_worker_time_is_split_into_four_shares() -> None:
    durations = {"training": 6.0, "suggesting": 1.0, "finishing": 0.0, "whole": 8.0}
    series = make_series([{**each, "spent": durations} for each in TIMED])
    text = summarise_plot(ResourceRecords(series).make_data(WORKERS, 4), series, "workers")
    assert "75 %" in text and "13 %" in text
    final = {"training": 0.9, "suggesting": 0.05, "idle": 0.03, "finishing": 0.02}
    text = summarise_plot(ResourceRecords(series).make_data(WORKERS, 4, final), series, "workers")
    assert "90 %" in text
    assert "2 %" in text and "3 %" in text


def test_old_documents_have_result_times() -> None:
    data = ResourceRecords(make_series(OLDER)).make_data(WORKERS, 4)
    np.testing.assert_allclose(data.fit_starts, [1.0, 1.5, 4.0, 6.0])


def test_document_without_shares_of_time_has_totals() -> None:
    series = make_series([{}, {}])
    data = ResourceRecords(series).make_data(1, 2)
    text = summarise_plot(data, series, "trials")
    assert contains_facts(text, "Training", "4 s", "suggesting", "1 s") and "%" not in text


def test_resources_ignore_later_trials() -> None:
    data = ResourceRecords(make_series(TIMED)).make_data(WORKERS, 2)
    assert data.numbers.tolist() == [1, 2]
    assert data.elapsed == 3.5


def test_resources_are_incremental() -> None:
    series = make_series(TIMED[:2])
    records = ResourceRecords(series)
    records.make_data(WORKERS, 2)
    full_series = make_series(TIMED)
    series.extend(full_series.trials, full_series.iterations)
    data, fresh = records.make_data(WORKERS, 4), ResourceRecords(full_series).make_data(WORKERS, 4)
    np.testing.assert_array_equal(data.fit_starts, fresh.fit_starts)
    assert data.branches == fresh.branches == ("a", "b")
    assert data.fit_total == 8.0


def test_long_run_draws_newest_trials_and_sums_all() -> None:
    data = ResourceRecords(make_series([{}] * (MAX_TRIALS + 3))).make_data(1, MAX_TRIALS + 1)
    assert data.numbers[[0, -1]].tolist() == [2, MAX_TRIALS + 1]
    assert data.fit_total == 2.0 * (MAX_TRIALS + 1)


def test_concurrent_trials_have_different_workers() -> None:
    begun, ended = np.array([0.0, 1.0, 3.0, 6.0]), np.array([4.0, 2.0, 5.0, 7.0])
    assert assign_workers(begun, ended, 2).tolist() == [0, 1, 1, 1]
    assert assign_workers(np.array([np.nan, 0.0]), np.array([np.nan, 1.0]), 1).tolist() == [0, 0]


def test_resource_descriptions_have_units() -> None:
    series = make_series(TIMED)
    data = ResourceRecords(series).make_data(WORKERS, 4)
    text = describe_trial(data, series, 2)
    assert contains_facts(text, "trial 3 (b)", " 2 s", "300 MB")
    assert text.endswith("failed")
    assert "a trial: 400 MB" in summarise_plot(data, series, "memory")


def test_log_time_axis_has_round_ticks() -> None:
    assert [text for _, text in make_time_ticks(-2, 0)] == [
        *("10 ms", "20 ms", "50 ms", "100 ms", "200 ms", "500 ms", "1 s")
    ]
    assert [text for _, text in make_time_ticks(-2.5, 1.5)] == ["10 ms", "100 ms", "1 s", "10 s"]


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> ResourcesPlot:
    resources_plot = ResourcesPlot(plot_helper)
    qtbot.addWidget(resources_plot)
    resources_plot.resize(700, 420)
    resources_plot.show()
    return resources_plot


@pytest.mark.parametrize("view", VIEWS)
def test_resource_views_are_drawn_and_described(
    plot: ResourcesPlot, make_subject: SubjectMaker, view: str
) -> None:
    subject = replace(
        make_subject(0), series=make_series(TIMED), settings=RunSettings(workers=WORKERS)
    )
    plot.follow(subject)
    plot.view.show_key(view)
    assert plot.empty_text == ""
    data = plot.data
    assert data is not None
    point = {
        "trials": QPointF(2, np.log10(2.0)),
        "workers": QPointF(2.5, data.worker_indices[1] + 1.0),
        "memory": QPointF(2, 200),
    }[view]
    assert "trial 2 (a)" in plot.describe_item_at(
        get_scene_position(plot.canvas, point.x(), point.y())
    )
    assert plot.grab().width() > 0
    (panel,) = plot.make_figure(data, subject).panels
    assert panel.x.has_integers is (view != "workers"), "of trials, however few"


def test_worker_bars_are_painted(plot: ResourcesPlot, make_subject: SubjectMaker) -> None:
    subject = replace(
        make_subject(0), series=make_series(TIMED), settings=RunSettings(workers=WORKERS)
    )
    plot.follow(subject)
    plot.view.show_key("workers")
    assert "suggesting" in plot.legend.names
    assert plot.current_figure is not None
    bars = plot.current_figure.marks[0]
    assert isinstance(bars, ThinBoxes)
    assert (bars.x0.min(), bars.x1.max()) == (1.5, 6.0)
    bare = replace(subject, series=make_series(OLDER))
    plot.follow(replace(bare, run_id=2))
    assert "suggesting" not in plot.legend.names


def test_resource_numbers_can_be_exported(plot: ResourcesPlot, make_subject: SubjectMaker) -> None:
    plot.follow(
        replace(make_subject(0), series=make_series(TIMED), settings=RunSettings(workers=WORKERS))
    )
    names, rows = plot.get_table()
    assert dict(zip(names, rows[0], strict=True)) == {
        "trial": 1,
        "branch": "b",
        "fit_seconds": 2.0,
        "suggest_processor_seconds": 0.5,
        "peak_memory_mb": 100.0,
        "begun_seconds": 1.0,
        "ended_seconds": 3.0,
        "worker": 1,
    }


def test_unknown_memory_is_reported(plot: ResourcesPlot, make_subject: SubjectMaker) -> None:
    plot.follow(make_subject(20))
    plot.view.show_key("memory")
    assert "did not report" in plot.read_out
    assert plot.describe_item_at(QPointF(300, 200)) == ""
