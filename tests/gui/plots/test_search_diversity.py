"""The search diversity plot: its model, requests and descriptions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from studio.analysis.answers.ensemble import MinDiversity, RankAgreement
from studio.document.trials import Iteration
from studio.figures.ink import get_run_ink
from studio.figures.marks import EmptyPanelText, Line
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.search_diversity import (
    IterationCurve,
    MemberErrors,
    SearchDiversityPlot,
    compute_moving_average,
    describe_panel,
    describe_suggestion,
    find_nearest_suggestion,
    make_recorded_curve,
    make_run_diversity,
    summarise_plot,
)
from studio.measure import Measure
from studio.runs.settings import RunSettings
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.plots.examples import make_constant_answer
from tests.gui.plots.progress_subjects import make_overlay
from tests.gui.visible_content import get_scene_position

SubjectMaker = Callable[..., Subject]


def small_series() -> RunSeries:
    series = RunSeries()
    losses = [0.4, None, 0.2, 0.3]
    members = [((1, 1.0),), ((1, 1.0),), ((1, 0.5), (3, 0.5)), ((3, 0.5), (4, 0.5))]
    details: list[dict[str, float]] = [{}, {}, {"weight": 0.01, "diversity": 0.5}, {"weight": 0.02}]
    trials = [Trial(n, {}, n, loss) for n, loss in enumerate(losses, start=1)]
    records = [
        Iteration(n, members=m, details=d)
        for n, (m, d) in enumerate(zip(members, details, strict=True), start=1)
    ]
    series.extend(trials, records)
    return series


LEAST = MinDiversity(np.array([3, 4]), np.array([0.6, 0.2]), np.array([1, 3]))


def test_diversity_line_is_sliding_mean() -> None:
    moving_average = compute_moving_average(np.array([1.0, 3.0, 5.0, 1.0]), 2)
    np.testing.assert_allclose(moving_average, [1, 2, 4, 3])


def test_diversity_curve_combines_recorded_and_computed_values() -> None:
    course = make_run_diversity("DivBO", small_series(), LEAST)
    np.testing.assert_allclose(course.smooth, [0.6, 0.4])
    assert course.predicted_diversity.x.tolist() == [3]
    weight = make_recorded_curve(course.series, "weight")
    assert (weight.x.tolist(), weight.y.tolist()) == ([3, 4], [0.01, 0.02])
    text = describe_suggestion(course, 0, shows_name=True)
    assert contains_facts(
        text, "DivBO", "trial 3: diversity 0.600", "trial 1", "0.500", "predicted"
    )
    assert "last 10 suggestions 0.400" in summarise_plot(course, 4)
    assert "all 0.600" in summarise_plot(course, 3)
    assert summarise_plot(course, 2) == ""


def test_member_errors_are_averaged_in_displayed_unit() -> None:
    series = small_series()
    counter = MemberErrors(series)
    np.testing.assert_allclose(counter.make_curve().y, [40, 40, 30, 25])
    series.extend([*series.trials, Trial(5, {}, 5, 0.1)], [*series.iterations, Iteration(5)])
    assert np.isnan(counter.make_curve().y[-1])


def test_hover_selects_nearest_suggestion_of_runs() -> None:
    low = make_run_diversity("low", small_series(), LEAST)
    high = make_run_diversity(
        "high", small_series(), replace(LEAST, min_diversities=np.array([0.9, 0.9]))
    )
    suggestion = find_nearest_suggestion([low, high], 4.2, 0.8)
    assert suggestion is not None
    assert (suggestion[0].name, suggestion[1]) == ("high", 1)
    assert find_nearest_suggestion([low, high], 9.0, 0.8) is None


@pytest.mark.parametrize(
    ("panel", "part"),
    [("errors", "mean error 25.00 %"), ("weight", "weight of diversity"), ("tau", "Kendall's tau")],
)
def test_lower_panels_are_described(panel: str, part: str) -> None:
    curve = IterationCurve(np.array([1, 2]), np.array([np.nan, 25.0]))
    assert part in describe_panel(panel, "run", curve, 2.0, Measure())
    assert describe_panel(panel, "run", curve, 1.0, Measure()) == ""


def note(plot: SearchDiversityPlot) -> str:
    """Return the message in place of a curve."""
    assert plot.current_figure is not None
    return "".join(
        mark.text for mark in plot.current_figure.marks if isinstance(mark, EmptyPanelText)
    )


def below(plot: SearchDiversityPlot) -> Line:
    """Return the curve of the lower panel."""
    assert plot.current_figure is not None
    (curve,) = (m for m in plot.current_figure.marks if isinstance(m, Line) and m.panel == 1)
    return curve


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> SearchDiversityPlot:
    search_diversity_plot = SearchDiversityPlot(plot_helper)
    qtbot.addWidget(search_diversity_plot)
    search_diversity_plot.resize(700, 420)
    search_diversity_plot.show()
    return search_diversity_plot


def test_diversity_weight_is_unavailable_for_other_methods(
    plot: SearchDiversityPlot, make_subject: SubjectMaker
) -> None:
    plot.follow(replace(make_subject(20), settings=RunSettings(method="BO-ES")))
    plot.panel.show_key("weight")
    assert contains_facts(note(plot), "BO-ES", "diversity")
    plot.panel.show_key("errors")
    assert note(plot) == ""


def test_tau_is_requested_only_when_shown(
    plot: SearchDiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot.follow(make_subject(20))
    assert {task for task, _ in plot_helper.asked} == {"search_diversity"}
    plot.panel.show_key("tau")
    assert plot_helper.asked[-1][0] == "search_agreement"
    assert "Kendall's tau 0.600" in plot.describe_item_at(
        get_scene_position(plot.canvas, 15, 0.5, panel=1)
    )


@pytest.mark.slow
def test_tau_is_requested_until_complete(
    plot: SearchDiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    answers = iter([([10], True), ([10, 15], False)])

    def answer_agreement(arguments: dict[str, Any]) -> Any:
        numbers, more = next(answers)
        return RankAgreement(np.array(numbers), 0.5 * np.ones(len(numbers)), has_more=more)

    plot_helper.answers["search_agreement"] = answer_agreement
    plot.follow(make_subject(20))
    plot.panel.show_key("tau")
    assert [task for task, _ in plot_helper.asked].count("search_agreement") == 2
    assert below(plot).x.tolist() == [10, 15]


@pytest.mark.slow
def test_unknown_tau_is_skipped(
    plot: SearchDiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    agreement = RankAgreement(np.array([10, 15]), np.array([np.nan, 0.6]))
    plot_helper.answers["search_agreement"] = make_constant_answer(agreement)
    plot.follow(make_subject(20))
    plot.panel.show_key("tau")
    assert below(plot).x.tolist() == [15]
    assert plot.grab().width() > 0


@pytest.mark.slow
def test_overlaid_runs_are_drawn_with_labels(
    plot: SearchDiversityPlot, make_subject: SubjectMaker
) -> None:
    other = make_subject(16)
    subject = replace(
        make_subject(20), name="DivBO", overlays=(make_overlay("BO-ES", 2, other.series),)
    )
    plot.follow(subject)
    assert plot.legend.names == ("DivBO", "BO-ES")
    assert plot.current_figure is not None
    lines = [each for each in plot.current_figure.marks if isinstance(each, Line) and each.name]
    assert [each.ink for each in lines] == [get_run_ink(subject.run_id), get_run_ink(2)]
    names, rows = plot.get_table()
    assert names[0] == "run"
    assert {row[0] for row in rows} == {"DivBO", "BO-ES"}
    plot.follow(replace(subject, overlays=()))
    assert "each suggestion" in plot.legend.names


def test_incomparable_run_gives_reason(
    plot: SearchDiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot_helper.error = "Every trial was scored on rows of its own."
    plot.follow(make_subject(20))
    assert plot.empty_text == plot_helper.error
    plot_helper.error = ""
    plot.follow(make_subject(20, run_id=2))
    assert plot.empty_text == ""


def test_unavailable_tau_keeps_other_panels(
    plot: SearchDiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot.follow(make_subject(20))
    plot_helper.error = "There was not enough memory for this."
    plot.panel.show_key("tau")
    assert plot.empty_text == ""
    assert "not enough memory" in note(plot)


def test_diversity_curve_requires_two_trials(
    plot: SearchDiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot_helper.answers["search_diversity"] = make_constant_answer(MinDiversity())
    plot.follow(make_subject(1))
    assert "second successful trial" in plot.empty_text


def test_earlier_iteration_shows_no_later_suggestions() -> None:
    course = make_run_diversity("DivBO", small_series(), LEAST).truncate_at(3)
    assert course.answer.numbers.tolist() == [3]
    assert course.answer.nearest.tolist() == [1]
    assert course.smooth.tolist() == [0.6]
    assert IterationCurve(np.array([1, 4]), np.array([0.5, 0.6])).truncate_at(3).x.tolist() == [1]
    assert course.truncate_at(2).find_nearest_index(3.0) == -1
