"""The ensemble objective: its model with example answers, and its choosers."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from studio.analysis.answers.ensemble import EnsembleObjective
from studio.figures.figure import Pointer
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble.objective import (
    ALL_SLOTS,
    NEXT_SLOT,
    ObjectiveData,
    ObjectivePlot,
    describe_objective,
    make_objective_data,
    summarise_plot,
)
from studio.measure import Measure
from tests.gui.painted_texts import list_bottom_numbers

NAN = float("nan")
SubjectMaker = Callable[..., Subject]


ANSWER = EnsembleObjective(
    numbers=np.array([1, 2, 3, 5]),
    trial_losses=np.array([0.20, 0.11, 0.14, 0.95]),
    joint_losses=np.array([0.10, NAN, 0.08, 0.12]),
    members=np.array([False, True, False, False]),
    trial_x=np.array([0.1, 1.0, NAN, 10.0]),
    losses_by_slot=np.empty((0, 4)),
    loss="Error rate",
    note="As heavy as an average member.",
    ensemble_loss=0.10,
)


def draw_sample(**changes: Any) -> ObjectiveData:
    return make_objective_data(replace(ANSWER, **changes), Measure())


def test_objective_losses_have_metric_unit() -> None:
    data = draw_sample(trial_x=np.arange(4.0))
    np.testing.assert_allclose(data.answer.trial_losses, [20, 11, 14, 95])
    assert data.answer.ensemble_loss == pytest.approx(10)
    assert data.format_loss(8.0) == "8.00 %"
    plain = draw_sample(in_metric=False, loss="Sigmoid")
    assert plain.answer.trial_losses.max() == 0.95
    assert plain.format_loss(0.5) == "0.5000"
    assert plain.measure.label == "loss: sigmoid"


def test_objective_skips_trials_without_hyperparameter() -> None:
    data = draw_sample(is_log=True)
    assert data.answer.numbers.tolist() == [1, 2, 5]
    np.testing.assert_allclose(data.x, [-1, 0, 1])


def test_categorical_trials_are_jittered() -> None:
    places = np.array([0.0, 0.0, 1.0, 1.0])
    data = draw_sample(choices=("knn", "lda"), trial_x=places)
    assert (np.abs(data.x - places) <= 0.25).all()
    assert len(set(data.x.tolist())) == 4


def test_outlying_trials_are_counted() -> None:
    data = draw_sample(trial_x=np.arange(4.0))
    assert data.y_high < 95
    assert data.n_above_axis == 2
    assert data.y_low < 8
    assert "2 single trials" in summarise_plot(data)


def test_objective_readout_names_most_useful_trial(make_series: Callable[[int], RunSeries]) -> None:
    data = draw_sample(trial_x=np.arange(4.0))
    assert "best with trial 3: 8.00 %" in summarise_plot(data)
    assert "best alone: trial 2" in summarise_plot(data)
    none = draw_sample(trial_x=np.arange(4.0), ensemble_loss=0.05)
    assert "no finished trial" in summarise_plot(none)


def test_hover_finds_trial_by_either_marker(make_series: Callable[[int], RunSeries]) -> None:
    series = make_series(6)
    data = draw_sample(trial_x=np.arange(4.0))
    for y in (14.0, 8.0):
        text = describe_objective(data, series, Pointer(0, 2.0, y, 0.02, 0.06))
        assert "trial 3" in text
        assert "alone 14.00 %" in text
        assert "ensemble with it 8.00 % (−2.00 %)" in text
    assert "already a member" in describe_objective(data, series, Pointer(0, 1.0, 11.0, 0.02, 0.06))
    assert "trial 5" in describe_objective(data, series, Pointer(0, 3.0, data.edge_y, 0.02, 0.06))
    assert describe_objective(data, series, Pointer(0, 0.5, 11.0, 0.02, 0.06)) == ""


def test_slots_have_curves() -> None:
    each = np.array([[0.3, NAN, 0.2, 0.1], [0.4, 0.3, 0.2, NAN]])
    places = np.array([3.0, 1.0, 2.0, 0.0])
    data = draw_sample(losses_by_slot=each, trial_x=places, in_metric=False)
    np.testing.assert_allclose(data.slot_x[0], [0, 2, 3])
    np.testing.assert_allclose(data.slot_y[0], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(data.slot_x[1], [1, 2, 3])
    grid = np.array([0.0, 5.0])
    means = np.array([[0.1, 0.2], [0.2, 0.1]])
    lined = {"grid": grid, "mean": means[0], "sd": 0.0 * grid, "means_by_slot": means}
    data = draw_sample(losses_by_slot=each, in_metric=False, **lined)
    np.testing.assert_allclose(data.slot_x[1], grid)
    np.testing.assert_allclose(data.slot_y[1], means[1])


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> ObjectivePlot:
    objective_plot = ObjectivePlot(plot_helper)
    qtbot.addWidget(objective_plot)
    objective_plot.resize(640, 400)
    objective_plot.show()
    return objective_plot


def test_slot_selector_shows_members(
    plot: ObjectivePlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    assert not plot.slot.isVisible()
    plot.follow(make_subject(20))
    assert plot.slot.isVisible()
    assert [plot.slot.itemData(i) for i in range(plot.slot.count())] == [
        NEXT_SLOT,
        ALL_SLOTS,
        0,
        1,
        2,
    ]
    assert plot.slot.itemText(0) == "Next: slot 2"
    assert plot.slot.itemText(2) == "Slot 1: trial 2"
    plot.slot.setCurrentIndex(3)
    plot.follow(make_subject(20))
    assert plot_helper.asked[-1][1]["slot"] == 1
    assert plot.slot.currentData() == 1
    plot.slot.setCurrentIndex(1)
    plot.follow(make_subject(20))
    assert plot_helper.asked[-1][1]["slot"] is None
    assert plot_helper.asked[-1][1]["every_slot"]
    assert any("slot 3" in name for name in plot.legend.names)


def test_few_trials_have_integer_ticks(plot: ObjectivePlot, make_subject: SubjectMaker) -> None:
    plot.resize(700, 400)
    plot.show()
    plot.follow(make_subject(3))
    QApplication.processEvents()
    assert list_bottom_numbers(plot) == ["1", "2", "3"]


def test_objective_can_use_hyperparameter_axis(
    plot: ObjectivePlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot.follow(make_subject(20))
    assert plot_helper.asked[-1][1]["parameter"] is None
    names = [
        plot.axis_chooser.itemData(i)
        for i in range(plot.axis_chooser.count())
        if plot.axis_chooser.itemData(i)
    ]
    plot.axis_chooser.setCurrentIndex(plot.axis_chooser.findData(names[1]))
    plot.follow(make_subject(20))
    assert plot_helper.asked[-1][1]["parameter"] == names[1]
    assert plot.get_table()[0][1] == names[1]
    assert any("surrogate" in name for name in plot.legend.names)


def test_empty_objective_plot_shows_reason(
    plot: ObjectivePlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot_helper.reason = "Every trial was scored on rows of its own."
    plot.follow(make_subject(20))
    assert plot.empty_text == plot_helper.reason
    plot_helper.error = "The helper has ended."
    plot.follow(make_subject(20, run_id=2))
    assert plot.empty_text == plot_helper.error
