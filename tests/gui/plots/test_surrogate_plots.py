"""The plots of the surrogate: their models with example answers, and their widgets."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.analysis.answers.surrogate import NextTrial, SurrogateSlice
from studio.figures.compose import clip_dots
from studio.figures.ink import MUTED
from studio.figures.marks import Dots, Line, Rule, WordMarks
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.painting.legend import LegendEntry
from studio.gui.plots.search.calibration import (
    CalibrationPlot,
    describe_bias,
    describe_coverage,
    make_calibration_data,
)
from studio.gui.plots.search.importance import (
    ImportancePlot,
    choose_first_branch,
    describe_importance,
    format_percentage,
    list_searched_branches,
    make_labels,
    sort_bars,
)
from studio.gui.plots.search.slice import SlicePlot
from studio.gui.plots.search.slice_model import SliceData, describe_fit, make_slice_data
from studio.gui.plots.search.surrogate_map import SurrogateMapPlot
from studio.language import tr
from studio.measure import Measure
from studio.space.library import load
from studio.space.space import Space
from studio.tasks import Task
from tests.facts import contains_facts
from tests.gui.painted_texts import list_bottom_numbers
from tests.gui.plots.examples import CALIBRATION, SLICE, importances, make_constant_answer
from tests.gui.visible_content import get_scene_position

SeriesMaker = Callable[[int], RunSeries]
SubjectMaker = Callable[..., Subject]


# Slice --------------------------------------------------------------------------------------


def make_example_slice(**values: Any) -> SliceData:
    return make_slice_data(replace(SLICE, **values), Measure())


def test_posterior_draws_are_one_line_with_gaps() -> None:
    data = make_example_slice()
    x, y = data.make_draw_curves()
    assert len(x) == len(y) == 2 * 31
    assert np.isnan(y[[30, 61]]).all()
    assert y[0] == pytest.approx(20.1)
    assert data.compute_limits(shows_draws=True)[1] >= y[:30].max()


def test_ensemble_loss_axis_has_tick_labels_and_short_title(plot_helper: Any, qtbot: Any) -> None:
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    data = make_example_slice(in_metric=False, objective="ensemble loss")
    axis = plot._make_panels(data, shows_draws=False, shows_acquisition=True)[0].y
    assert axis.has_tick_labels and axis.label.startswith("ensemble loss")


@pytest.mark.slow
def test_low_slice_shows_one_legible_panel(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot_helper.answers["slice"] = make_constant_answer(SLICE)
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(814, 284)
    plot.show()
    plot.follow(make_subject(8))
    for height, n_panels in ((284, 1), (600, 2), (308, 2), (284, 1)):
        plot.resize(814, height)
        qtbot.waitUntil(lambda h=height: plot.height() == h)
        plot.refresh()
        qtbot.waitUntil(lambda n=n_panels: len(plot.canvas.ci.items) == n)
        qtbot.wait(50)
        (first, *_) = (each.getViewBox() for each in plot.canvas.ci.items)
        assert first.height() >= (70 if height == 308 else 110)
        assert plot.lead_label.isVisible() == (height >= 308), "no plot is beside it"
        assert plot.current_figure is not None
        marks = plot.current_figure.marks
        assert {each.panel for each in marks} == set(range(n_panels))
        labels = [text for each in marks if isinstance(each, WordMarks) for text in each.texts]
        named = [each.name for each in marks if isinstance(each, Rule)]
        assert any(tr("tried next") in each for each in [*labels, *named])


def test_ensemble_losses_have_no_unit() -> None:
    own = make_example_slice()
    ensemble = make_example_slice(in_metric=False, objective="ensemble loss")
    assert own.unit == "\N{NO-BREAK SPACE}%"
    assert ensemble.unit == ""
    np.testing.assert_allclose(own.mean, 100 * ensemble.mean)


@pytest.mark.slow
def test_replies_to_previous_selection_are_not_drawn(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot_helper.answers["slice"] = make_constant_answer(SLICE)
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    subject = make_subject(8)
    plot.follow(subject)
    assert plot.explain_empty(subject) == ""
    other = next(key for key, _ in plot.chooser._items if key not in {None, plot.chooser.key})
    plot.chooser.choose(other)
    message = plot.explain_empty(subject)
    assert message.splitlines() == [tr(SlicePlot.waiting_message), tr(SlicePlot.summary)]


def test_dots_at_axis_ends_are_not_clipped() -> None:
    dots = Dots(x=np.arange(4.0), y=np.array([-5.0, 5.0, 9.99, 70.0]))
    inside, above, below = clip_dots(dots, 0.0, 10.0)
    assert (inside.x.tolist(), inside.y.tolist()) == ([1.0], [5.0])
    assert (above.x.tolist(), above.shape, set(above.y)) == ([2.0, 3.0], "up", {9.7})
    assert (below.x.tolist(), below.shape) == ([0.0], "triangle")


@pytest.mark.parametrize(
    ("followed", "over", "expected"),
    [
        (True, False, "has no Neighbours: n_neighbors"),
        (False, False, "being chosen"),
        (False, True, "run has finished"),
    ],
)
def test_slice_explains_missing_next_configuration(
    qtbot: Any,
    plot_helper: Any,
    make_subject: SubjectMaker,
    followed: bool,
    over: bool,
    expected: str,
) -> None:
    nowhere = replace(SLICE, next_trial=None, has_next_trial=followed)
    plot_helper.answers["slice"] = make_constant_answer(nowhere)
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.follow(replace(make_subject(8), test_loss=0.1 if over else None))
    assert expected in plot.read_out


def test_posterior_draws_are_optional(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.follow(make_subject(8))
    before = set(plot.legend.names)
    plot.draws_chip.click()
    (legend_name,) = set(plot.legend.names) - before
    assert "draws" in legend_name
    assert len(plot.get_table()[0]) == 5 + 2


def test_error_is_shown_until_next_query(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    reason = "It cannot be read. Open it again."

    class RejectingHelper:
        def request(
            self, task: Task[..., Any], arguments: Any, done: Any, failed: Any, channel: Any
        ) -> Any:
            failed(reason)
            return self

        def cancel(self) -> None:
            pass

    plot = SlicePlot(RejectingHelper())
    qtbot.addWidget(plot)
    plot.follow(make_subject(8))
    plot.follow(make_subject(8))
    assert plot.empty_text == reason


# Calibration --------------------------------------------------------------------------------


def test_calibration_reports_share_within_one_deviation() -> None:
    data = make_calibration_data(CALIBRATION, Measure())
    assert data.is_within_sd.tolist() == [True, True, False, False]
    statement = describe_coverage(data)
    assert contains_facts(statement, "68 %", "50 %", "(n = 4)")
    assert data.standardised_errors.tolist() == pytest.approx([0.6, -1, 4, -20])
    rest = describe_bias(data)
    assert contains_facts(rest, "0.1 ", "better")  # -20 counts as -4, as it is drawn
    assert "2 trials were not" in rest
    assert "1 predicted trial" in rest
    off = CALIBRATION.sd * [1.0, -1.0, 0.02, 0.0]
    even = replace(CALIBRATION, observed=CALIBRATION.predicted_means + off)
    rest = describe_bias(make_calibration_data(even, Measure()))
    assert "as predicted" in rest and "standard deviations" not in rest


@pytest.mark.slow
def test_losses_beyond_axes_are_counted(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    observed = np.array([0.23, 0.19, 9.0, 0.1])
    far = replace(CALIBRATION, observed=observed)
    plot_helper.answers["calibration"] = lambda _: far
    plot = CalibrationPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(640, 400)
    plot.show()
    plot.follow(make_subject(8))
    data = make_calibration_data(far, Measure())
    assert data.is_at_edge.tolist() == [False, False, True, False]
    low, high = data.compute_limits()
    x, y = data.compute_positions()
    assert low < x.min() and x.max() < high and low < y.min() and y.max() < high
    assert "beyond the edge" in plot.legend.names
    assert "1 trial lies beyond" in plot.read_out
    assert "trial 6" in plot.describe_item_at(
        get_scene_position(plot.canvas, float(x[2]), float(y[2]))
    )


def test_clicking_trial_selects_previous_iteration(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = CalibrationPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(640, 400)
    plot.show()
    plot.follow(make_subject(8))
    x, y = make_calibration_data(CALIBRATION, Measure()).compute_positions()
    index = CALIBRATION.numbers.tolist().index(5)
    where = get_scene_position(plot.canvas, float(x[index]), float(y[index]))
    assert "trial 5" in plot.describe_item_at(where)
    with qtbot.waitSignal(plot.iteration_picked) as blocker:
        plot.handle_scene_click(where)
    assert blocker.args == [4]


# Importance ---------------------------------------------------------------------------------


def test_importance_bars_are_sorted_with_unknown_last() -> None:
    data = sort_bars(importances({"branch": "forest"}))
    assert data.names == ("algorithm", "forest.c", "forest.a", "forest.b")
    assert make_labels(data) == ("algorithm", "c", "a", "b")
    assert format_percentage(data, 0) == "70 ± 0.4 %"
    assert format_percentage(data, 1) == "50 ± 10 %"
    assert format_percentage(data, 3) == "too few trials"
    assert "whole space" in describe_importance(data, 0)
    assert "within Random forest" in describe_importance(data, 1)
    assert "1 trial has it" in describe_importance(data, 3)
    assert describe_importance(data, 4) == ""


def test_branches_without_hyperparameters_are_not_offered(
    space: Space, make_series: SeriesMaker
) -> None:
    branches = list_searched_branches(space)
    assert "forest" in branches
    assert "naive-bayes" not in branches
    assert choose_first_branch(space, make_series(20)) in branches
    assert list_searched_branches(load("svm-rbf")) == ()


@pytest.mark.slow
def test_importance_axis_ends_at_total_variance(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = ImportancePlot(plot_helper)
    qtbot.addWidget(plot)
    answer = importances({"branch": "forest"})
    wide = replace(answer, share=answer.share * 0 + 0.9, spread=answer.spread * 0 + 0.2)
    figure = plot.make_figure(sort_bars(wide), make_subject(8))
    assert figure.panels[0].x.high == 100.0
    whiskers = next(mark for mark in figure.marks if isinstance(mark, Line))
    assert np.nanmax(whiskers.x) == 100.0
    plot_helper.answers["importance"] = make_constant_answer(answer)
    plot.resize(500, 400)
    plot.show()
    plot.follow(make_subject(8))
    qtbot.waitUntil(lambda: plot.empty_text == "")
    qtbot.wait(50)
    assert list_bottom_numbers(plot)[0] == "0", "not only the others"


@pytest.mark.slow
def test_importance_requests_selected_branch(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = ImportancePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.follow(make_subject(8))
    plot.branch.choose("forest")
    plot.follow(make_subject(8))
    task, arguments = plot_helper.asked[-1]
    assert (task, arguments["branch"]) == ("importance", "forest")
    assert "within Random forest" in plot.legend.names


def test_reason_from_helper_is_shown(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot_helper.reason = "Random search does not use a surrogate."
    for make in (SlicePlot, SurrogateMapPlot, CalibrationPlot, ImportancePlot):
        plot = make(plot_helper)
        qtbot.addWidget(plot)
        plot.follow(make_subject(8))
        assert plot.empty_text == plot_helper.reason
        plot.follow(Subject(Path("other.studio"), 2, RunSeries(), None, None))
        assert plot.empty_text


@pytest.mark.slow
def test_slice_defaults_to_common_hyperparameter(
    qtbot: Any, recorded_helper: Any, make_recorded_subject: Callable[..., Subject]
) -> None:
    plot = SlicePlot(recorded_helper)
    qtbot.addWidget(plot)
    keys = set()
    for iteration in (2, 5, 20):
        plot.follow(make_recorded_subject(iteration))
        keys.add(plot.chooser.key)
    (key,) = keys
    space = make_recorded_subject(20).space
    assert space is not None
    assert not space.get_parameter(key).conditions


def test_high_plot_names_all_entries_of_its_legend(qtbot: Any, plot_helper: Any) -> None:
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    entries = [LegendEntry(f"kind of model {n}", "square", MUTED) for n in range(18)]
    complete = []
    for height in (560, 900):
        plot.resize(700, height)
        plot.show()
        plot.legend.show_entries(entries)
        complete.append(plot.legend.is_complete)
    assert complete == [False, True], "full screen has no tooltip for the others"


def test_constant_surrogate_is_reported(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    flat = replace(
        SLICE, mean=np.full_like(SLICE.mean, 0.2), acquisition=np.zeros_like(SLICE.acquisition)
    )
    assert make_slice_data(flat, Measure()).is_flat
    assert not make_example_slice().is_flat
    plot_helper.answers["slice"] = make_constant_answer(flat)
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.follow(make_subject(8))
    assert "acquisition" not in plot.read_out


@pytest.mark.slow
def test_slice_explains_suboptimal_next_trial(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    reason = "Not the highest acquisition here."
    grid = np.linspace(0.0, 1.0, 11)
    peak = replace(
        SLICE, is_log=False, choices=(), grid=grid, mean=grid, sd=0.1 + 0 * grid, acquisition=grid,
        draws=np.empty((0, 11)), not_maximal_reason=reason,
    )  # fmt: skip
    for acquisition, beside in ((1.0, False), (0.99, False), (1.4, False), (0.7, True)):
        following = replace(peak, next_trial=NextTrial(0.7, 0.2, 0.1, acquisition))
        assert make_slice_data(following, Measure()).is_next_highest != beside
        plot_helper.answers["slice"] = make_constant_answer(following)
        plot = SlicePlot(plot_helper)
        qtbot.addWidget(plot)
        plot.follow(make_subject(8))
        assert (reason in plot.read_out) == beside
        assert "Next trial" in plot.read_out


def test_members_without_dots_are_explained(
    plot_helper: Any, qtbot: Any, make_subject: SubjectMaker
) -> None:
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    subject = make_subject(len(SLICE.trial_numbers) + 11)
    for objective, shown in (("ensemble loss", True), ("validation loss", False)):
        figure = plot.make_figure(make_example_slice(objective=objective), subject)
        assert any("11 trials" in mark.name for mark in figure.marks) == shown
    members = tuple((number, 1 / 12) for number in range(1, 13))
    last = replace(subject.series.iterations[-1], members=members)
    subject.series.iterations[-1] = last
    figure = plot.make_figure(make_example_slice(objective="ensemble loss"), subject)
    assert any(contains_facts(mark.name, "11 of 12") for mark in figure.marks), "one has a dot"
    everything = make_subject(len(SLICE.trial_numbers))
    figure = plot.make_figure(make_example_slice(objective="ensemble loss"), everything)
    assert not any("left out" in mark.name for mark in figure.marks)


def test_trials_with_equal_choice_are_jittered() -> None:
    answer = SurrogateSlice(
        "algorithm", False, ("tree", "svm"), np.arange(2.0), np.full(2, 0.2), np.full(2, 0.1),
        np.ones(2), trial_values=np.array([0.0, 1.0, 1.0, 1.0]),
        trial_targets=np.array([0.3, 0.1, 0.1, 0.1]), trial_numbers=np.array([1, 2, 3, 4]),
        is_trial_in_branch=np.ones(4, dtype=bool),
    )  # fmt: skip
    data = make_slice_data(answer, Measure())
    x = data.dots[:, 0]
    assert x[0] == 0.0 and len(set(x)) == 4
    assert x[1] < x[2] == 1.0 < x[3] and x[3] - x[1] <= 0.5
    assert contains_facts(describe_fit(data, 4), "all 4")
    assert contains_facts(describe_fit(data, 4), "4 of 4 trials", "band"), "from 10 to 30 %"
    above = replace(answer, trial_targets=np.array([0.3, 0.5, 0.5, 0.5]))
    assert contains_facts(describe_fit(make_slice_data(above, Measure()), 4), "1 of 4", "band")
    of_metric = make_slice_data(replace(answer, objective="validation loss"), Measure())
    assert of_metric.measure.label == "validation error (%)"
    assert contains_facts(describe_fit(data, 6), "4 of 6")
    partly = replace(answer, trial_values=np.array([0.0, np.nan, 1.0, 1.0]))
    assert contains_facts(describe_fit(make_slice_data(partly, Measure()), 6), "3", "4 of 6")


def test_outlying_choices_are_labelled_at_end_of_scale(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    mean = np.array([0.46, 0.52, 0.9, 5.8])
    answer = SurrogateSlice(
        "algorithm", False, ("qda", "tree", "knn", "svm"), np.arange(4.0), mean, np.full(4, 0.01),
        np.ones(4), trial_values=np.repeat([0.0, 1.0, 3.0], [8, 8, 1]),
        trial_targets=np.array([0.46, 0.65] * 8 + [5.8]), trial_numbers=np.arange(1, 18),
        is_trial_in_branch=np.ones(17, dtype=bool),
    )  # fmt: skip
    data = make_slice_data(answer, Measure("log loss", ""))
    assert data.compute_limits(shows_draws=False) == pytest.approx((0.45, 0.91))
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(1400, 700)
    plot.show()
    figure = plot.make_figure(data, make_subject(3))
    (labels,) = [each for each in figure.marks if isinstance(each, WordMarks)]
    assert [text.startswith("↑") for text in labels.texts] == [False, False, False, True]
    arrows = [each for each in figure.marks if isinstance(each, Dots) and each.shape == "up"]
    assert [float(x) for each in arrows for x in each.x if 2.5 < x < 3] != [], "also without space"
    assert contains_facts(labels.texts[3], "5.8") and max(labels.y) < figure.panels[0].y.high
    only_bad = replace(answer, mean=np.full(4, 9.0))
    assert (
        make_slice_data(only_bad, Measure("log loss", "")).compute_limits(shows_draws=False)[1] > 9
    )
