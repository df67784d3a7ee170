"""The plots' view models, without a window."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from studio.analysis.answers.ensemble import PairDiversity
from studio.analysis.answers.surrogate import NextTrial, SurrogateSlice
from studio.figures.figure import Pointer
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.ensemble.diversity import describe_diversity, make_diversity_data
from studio.gui.plots.ensemble.membership_model import (
    Memberships,
    describe_membership,
    get_cell_opacities,
)
from studio.gui.plots.quality.progress_model import describe_iteration, make_step_curve
from studio.gui.plots.search.slice_model import (
    describe_slice_point,
    group_parameters,
    make_slice_data,
)
from studio.measure import UNKNOWN_TEXT, Measure
from studio.space.space import Space
from tests.facts import contains_facts
from tests.gui.plots.progress_subjects import make_progress_data

SeriesMaker = Callable[[int], RunSeries]


def test_series_is_append_only(make_series: SeriesMaker) -> None:
    series = make_series(10)
    assert not series.extend(series.trials, series.iterations)
    with pytest.raises(ValueError, match="only ever grow"):
        series.extend(series.trials[:3], series.iterations[:3])


def test_step_curves_are_right_continuous() -> None:
    line = make_step_curve(np.array([1, 2, 3]), np.array([5.0, 4.0, 4.0]))
    assert line.x.tolist() == [1, 2, 2, 3.5]
    assert line.y.tolist() == [5, 5, 4, 4]
    assert make_step_curve(
        np.array([1, 2, 3, 4]), np.array([np.nan, np.nan, 2.0, 2.0])
    ).x.tolist() == [*(1, 3, 3, 4.5)]


def test_progress_has_percent_and_failed_trials(make_series: SeriesMaker) -> None:
    data = make_progress_data(make_series(20), None)
    assert data.failed.tolist() == [4, 9]
    assert len(data.dots) == 18
    assert data.iteration == data.last == 20
    assert 5 <= data.single_validation.y[-1] <= 35
    assert data.low < data.single_validation.y[-1] < data.high
    assert data.has_test


def test_progress_description_of_earlier_iteration(make_series: SeriesMaker) -> None:
    series = make_series(20)
    text = describe_iteration(series, 4)
    assert text.startswith("iteration 4")
    assert "failed: too slow" in text
    assert describe_iteration(series, 21) == ""


def test_progress_description_names_origin_of_trial(make_series: SeriesMaker) -> None:
    series = make_series(20)
    series.trials[6] = dataclasses.replace(series.trials[6], origin="proven start 7 of 25")
    assert contains_facts(describe_iteration(series, 7), "iteration 7", series.trials[6].origin)


def test_membership_has_row_for_every_past_member(make_series: SeriesMaker) -> None:
    series = make_series(20)
    data = Memberships().make_data(series, 7)
    ever = {number for record in series.iterations[:7] for number, _ in record.members}
    assert set(data.members.tolist()) == ever
    assert data.relative_weights.shape == (len(ever), 7)
    assert data.relative_weights.max() == 1.0
    assert data.iteration == 7
    np.testing.assert_allclose(data.weights.sum(axis=0), 1.0)


def test_membership_raster_is_transparent_for_non_members(make_series: SeriesMaker) -> None:
    data = Memberships().make_data(make_series(20), None)
    assert ((get_cell_opacities(data) > 0) == (data.relative_weights > 0)).all()


def test_membership_description_names_member_and_weight(make_series: SeriesMaker) -> None:
    series = make_series(20)
    data = Memberships().make_data(series, None)
    row = int(np.flatnonzero(data.weights[:, -1])[0])
    text = describe_membership(series, data, row, 19)
    assert f"trial {data.members[row]}" in text
    assert "weight 20.0 %" in text
    assert describe_membership(series, data, -1, 0) == ""


C = SurrogateSlice(
    "C",
    is_log=False,
    choices=(),
    grid=np.array([0.1, 1.0, 10.0]),
    mean=np.array([0.3, 0.2, 0.25]),
    sd=np.array([0.1, 0.05, 0.1]),
    acquisition=np.array([1.0, 3.0, 2.0]),
    draws=np.array([[0.3, 0.1, 0.2], [0.3, 0.3, 0.3]]),
    trial_values=np.array([0.1, np.nan, 10.0]),
    trial_targets=np.array([0.31, 0.2, np.nan]),
    trial_numbers=np.array([1, 2, 3]),
    is_trial_in_branch=np.ones(3, dtype=bool),
    next_trial=NextTrial(1.0, 0.2, 0.05, 3.0),
)


def test_slice_uses_scale_of_hyperparameter() -> None:
    data = make_slice_data(dataclasses.replace(C, is_log=True), Measure())
    assert data.x.tolist() == pytest.approx([-1, 0, 1])
    assert data.mean.tolist() == pytest.approx([30, 20, 25])
    assert data.low.tolist() == pytest.approx([20, 15, 15])
    assert data.acquisition.tolist() == pytest.approx([0, 1, 0.5])
    assert data.next_x == pytest.approx(0)
    assert data.numbers.tolist() == [1]


def test_slice_description_has_hovered_point() -> None:
    data = make_slice_data(C, Measure())
    assert "trial 1" in describe_slice_point(data, Pointer(0, 0.1, 31.0, 0.1, 0.1))
    assert "expected 20.0 ± 5.0" in describe_slice_point(data, Pointer(0, 1.0, 5.0))
    assert describe_slice_point(data, Pointer(0, 11.0, 5.0)) == ""


def test_hyperparameter_selector_groups_by_branch(space: Space) -> None:
    groups = group_parameters(space)
    assert sum(map(len, groups.values())) == space.dimensions
    assert "knn" in groups


def test_diversity_matrix_has_empty_diagonal(make_series: SeriesMaker) -> None:
    series = make_series(8)
    matrix = np.array([[0.0, 0.12], [0.12, 0.0]])
    answer = PairDiversity(np.array([2, 5]), matrix, matrix)
    data = make_diversity_data(answer, series, "diversity")
    assert np.isnan(np.diag(data.values)).all()
    assert data.highest == 0.2
    assert "trial 2" in describe_diversity(data, series, 0, 1, "diversity")
    assert "12.0 %" in describe_diversity(data, series, 0, 1, "disagreement")
    assert describe_diversity(data, series, 5, 0, "diversity") == ""


def test_losses_are_shown_with_unit() -> None:
    assert Measure().format_loss(0.0425) == "4.25 %"
    assert Measure("RMSE", "").format_loss(1.23456) == "1.235"
    assert Measure().format_loss(None) == UNKNOWN_TEXT
