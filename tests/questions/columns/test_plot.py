"""The plot of column effects: its model, and computation on request only."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from studio.data.dates import DatePart
from studio.figures.marks import Boxes, Dots
from studio.gui.plots.base.static_figure import StaticFigure
from studio.gui.plots.base.subjects import Subject
from studio.questions.columns.answer import (
    ColumnEffects,
    Dependence,
    describe_completion,
    describe_plan,
    format_rise,
    format_value,
)
from studio.questions.columns.effect_figure import (
    N_STRONGEST,
    ColumnEffectFigure,
    make_tick_labels,
    select_strongest,
)
from studio.questions.columns.figure import (
    get_rise_label,
    make_importance_figure,
    tabulate_importances,
)
from studio.questions.columns.view import DEPENDENCE, ColumnsPlot
from tests.facts import contains_facts
from tests.gui.painted_texts import find_outside, read_painted_texts
from tests.gui.plots.examples import EFFECTS, PLAN
from tests.gui.visible_content import get_scene_position

SubjectMaker = Callable[..., Subject]


DAYS = DatePart("days", "year-first")
A, COLOUR = 0, 2
"""Numbers of the columns of the example."""


def test_columns_are_sorted_by_importance() -> None:
    assert EFFECTS.order.tolist() == [2, 0, 1]
    assert format_rise(EFFECTS, 0) == "+0.150 (0.080 to 0.220)"
    assert format_rise(EFFECTS, 1) == "not tried"
    assert format_rise(EFFECTS, 2) == "+0.300"
    assert "log loss" in get_rise_label(EFFECTS)
    of_numbers = replace(EFFECTS, metric="RMSE", unit="target")
    million = {each: 1e6 * getattr(of_numbers, each) for each in ("rises", "low", "high")}
    large = replace(of_numbers, **million)
    assert format_rise(large, 0) == "+150,000 (80,000 to 220,000)"
    assert contains_facts(get_rise_label(of_numbers), "RMSE", "(unit of target)")


def test_finished_computation_is_described() -> None:
    assert contains_facts(
        describe_completion(EFFECTS, EFFECTS.order[:2].tolist()),
        *("2 of 3 members", "75 %", "20 validation rows", "2 repetitions", "0.2", "1 column "),
    )


def test_duration_of_computation_is_estimated() -> None:
    text = describe_plan(PLAN)
    assert contains_facts(text, "2 of 3 members", "about 4 s", "3 columns", "20 rows", "30 s")


def test_dependence_hover_uses_nearest_value() -> None:
    assert contains_facts(
        ColumnEffectFigure(EFFECTS, A, 1).describe_at(0.9), "a = 1: 60.0 %", "class yes", "30 rows"
    )
    assert contains_facts(
        ColumnEffectFigure(EFFECTS, A, 1).describe_at(1.9), "a = 2: 90.0 %", "class yes", "50 rows"
    )
    text = ColumnEffectFigure(EFFECTS, COLOUR, 0).describe_at(0.2)
    assert contains_facts(text, "colour = red: 70.0 %", "class no", "20 rows")
    assert ColumnEffectFigure(EFFECTS, A, 1).describe_at(5.0) == ""
    assert contains_facts(
        ColumnEffectFigure(EFFECTS, A, 1).default_text,
        "“yes”",
        "50.0 %",
        "90.0 %",
        " a ",
        "1 of 81 examined rows without",
    )


def test_rows_without_value_have_separate_bar() -> None:
    for number, name, at in ((0, "a", 2.2), (2, "colour", 2.0)):
        dependence = EFFECTS.dependences[number]
        dependence_with_missing = replace(
            dependence, n_missing=7, missing_means=np.array([0.8, 0.2])
        )
        effect = ColumnEffectFigure(
            replace(EFFECTS, dependences={number: dependence_with_missing}), number, 1
        )
        figure = effect.make_figure()
        ticks = figure.panels[0].x.ticks
        assert ticks is not None
        x, title = ticks[-1]
        assert title == "missing"
        assert x == pytest.approx(at, abs=0.1)
        dots = next(each for each in figure.marks if isinstance(each, Dots))
        assert (dots.x[-1], dots.y[-1]) == (x, 20.0)
        text = effect.describe_at(x)
        assert contains_facts(text, f"{name} missing: 20.0 %", "class yes", "7 rows")
        assert effect.mean_range[0] == 0.2
    ticks = ColumnEffectFigure(EFFECTS, COLOUR, 1).make_figure().panels[0].x.ticks
    assert ticks == [(0.0, "red"), (1.0, "green")]


def test_strongest_of_many_categories_are_drawn() -> None:
    means = np.linspace(0.2, 0.8, 41)
    dependence = Dependence(
        grid=np.arange(41.0),
        labels=(*(f"v{k}" for k in range(40)), "9 rarer values"),
        means=np.column_stack([1 - means, means])[np.r_[:40:2, 1:40:2, 40]],
        edges=np.empty(0),
        counts=np.full(41, 11),
        n_missing=0,
        n_rarer=9,
    )
    drawn = select_strongest(dependence, 1)
    assert len(drawn.labels) == N_STRONGEST + 1
    assert drawn.labels[-1] == "9 rarer values"
    shown = drawn.means[:-1, 1]
    assert (np.diff(shown) < 0).all()
    left_out = np.setdiff1d(means[:-1], shown)
    assert np.abs(left_out - 0.5).max() < np.abs(shown - 0.5).min() + 0.01
    effects = replace(EFFECTS, dependences={COLOUR: dependence})
    effect = ColumnEffectFigure(effects, COLOUR, 1)
    assert contains_facts(effect.default_text, "12", "49", "40")
    assert len(effect.get_table()["colour"]) == 41
    few = replace(dependence, n_rarer=0)
    assert contains_facts(
        ColumnEffectFigure(replace(EFFECTS, dependences={COLOUR: few}), COLOUR, 1).default_text,
        "12",
        "41",
    )
    assert select_strongest(EFFECTS.dependences[COLOUR], 1) is EFFECTS.dependences[COLOUR]


def test_all_columns_share_one_scale() -> None:
    assert (
        ColumnEffectFigure(EFFECTS, A, 1).mean_range
        == ColumnEffectFigure(EFFECTS, COLOUR, 1).mean_range
        == (0.3, 0.9)
    )


def test_distribution_bars_are_centred_on_single_values() -> None:
    starts, ends = ColumnEffectFigure(EFFECTS, COLOUR).bars
    np.testing.assert_allclose(starts, [-0.4, 0.6])
    np.testing.assert_allclose(ends, [0.4, 1.4])


def test_importance_numbers_can_be_exported() -> None:
    assert tabulate_importances(PLAN, EFFECTS)["column"] == ["colour", "a", "b"]
    assert ColumnEffectFigure(EFFECTS, COLOUR).get_table() == {
        "colour": ["red", "green"],
        "no": [0.7, 0.2],
        "yes": [0.3, 0.8],
    }


# The plot -----------------------------------------------------------------------------------


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> ColumnsPlot:
    columns_plot = ColumnsPlot(plot_helper)
    qtbot.addWidget(columns_plot)
    columns_plot.resize(640, 400)
    columns_plot.show()
    return columns_plot


def tasks(plot_helper: Any) -> list[str]:
    return [name for name, _ in plot_helper.asked]


def test_hover_text_describes_bar(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    first, second = (
        get_scene_position(plot.canvas, 0.1, 0.0),
        get_scene_position(plot.canvas, 0.1, 1.0),
    )
    assert plot.describe_item_at(first) == "a: not computed yet"
    plot.start_computation()
    first, second = (
        get_scene_position(plot.canvas, 0.1, 0.0),
        get_scene_position(plot.canvas, 0.1, 1.0),
    )
    assert plot.describe_item_at(second).startswith("a shuffled: +0.150 (0.080 to 0.220)")
    assert plot.describe_item_at(get_scene_position(plot.canvas, 0.1, 3.0)) == ""


def test_importance_is_computed_only_on_request(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    for length in (6, 12, 20):
        plot.follow(make_subject(length))
    assert set(tasks(plot_helper)) == {"make_column_plan"}
    assert plot.strip.compute_button.isVisible()
    assert "4 s" in plot.strip.progress_label.text()


def test_importance_is_computed_in_steps(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    steps = iter((0.2, 0.6))

    def answer(arguments: dict[str, Any]) -> Any:
        share = next(steps, None)
        if share is None:
            return EFFECTS
        return ColumnEffects(is_complete=False, phase="Training…", progress=share, plan=PLAN)

    plot_helper.answers["compute_column_effects"] = answer
    plot_helper.holds_replies = True
    plot.strip.compute_button.click()
    assert plot.column_work.is_computing
    plot_helper.release()
    assert plot.strip.bar.value() == 20
    assert plot.strip.progress_label.text() == "Training…"
    assert plot.strip.cancel_button.isVisible()
    plot.follow(make_subject(20))
    assert plot.strip.bar.isVisible()
    plot_helper.holds_replies = False
    plot_helper.release()
    assert not plot.column_work.is_computing
    assert tasks(plot_helper).count("compute_column_effects") == 3
    assert not plot.strip.isVisible()
    assert "2 repetitions" in plot.read_out


def test_figures_are_not_clipped_at_edge(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker, qtbot: Any
) -> None:
    high = np.array([0.00143, np.nan, 0.00155])
    wide = replace(EFFECTS, rises=EFFECTS.rises / 900, low=-high, high=high)
    plot_helper.answers["compute_column_effects"] = lambda _: wide
    plot.follow(make_subject(20))
    plot.strip.compute_button.click()
    texts = [each for each in read_painted_texts(plot) if " to " in each.text]
    assert texts
    assert all(each.area.right() <= plot.width() - 24 for each in texts)


def test_importance_can_be_cancelled(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    plot_helper.holds_replies = True
    plot.start_computation()
    plot.strip.cancel_button.click()
    assert not plot.column_work.is_computing
    assert plot.strip.compute_button.isVisible()
    plot_helper.release()
    assert plot.data is not None
    assert plot.data.effects is None


@pytest.mark.slow
def test_importance_is_shown_for_its_ensemble_only(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20, 6))
    plot.start_computation()
    assert plot.data is not None
    assert plot.data.is_current
    plot.follow(make_subject(20))
    assert plot.data.effects is not None
    assert not plot.data.is_current
    assert plot.strip.progress_label.text().startswith("Computed at iteration 6")
    plot.follow(make_subject(20, 1))
    assert plot.data.effects is None
    plot.follow(make_subject(20, 6))
    assert plot.data.is_current
    plot.follow(make_subject(20, 6, run_id=2))
    assert plot.data.effects is None
    plot.start_computation()
    assert plot_helper.asked[-1][1]["run_id"] == 2, "regardless of the previous run's members"


def test_click_on_bar_shows_effect_of_column(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    plot.start_computation()
    where = get_scene_position(plot.canvas, 0.1, 1.0)
    assert plot.describe_item_at(where).startswith("a shuffled")
    plot.handle_scene_click(where)
    assert plot.view.key == DEPENDENCE
    assert plot.column.key == "a"
    assert contains_facts(plot.read_out, "“yes”", "50.0 %", "90.0 %")
    plot.classes.setCurrentIndex(0)
    plot.classes.activated.emit(0)
    assert contains_facts(plot.read_out, "“no”", "10.0 %", "50.0 %")


def test_pixels_are_named_by_their_positions(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plan = replace(PLAN, image_size=(2, 2), pixels=(0, 1, 3))
    plot_helper.answers["make_column_plan"] = lambda _: plan
    plot_helper.answers["compute_column_effects"] = lambda _: replace(EFFECTS, plan=plan)
    plot.follow(make_subject(20))
    plot.start_computation()
    position = get_scene_position(plot.canvas, 0.1, 0.0)
    assert contains_facts(plot.describe_item_at(position), "row 2, column 2", "+0.300")
    plot.handle_scene_click(position)
    assert (plot.view.key, plot.column.key) == (DEPENDENCE, PLAN.names[2])


def test_missing_effect_is_requested_by_button(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    plot.start_computation()
    plot.view.show_key(DEPENDENCE)
    assert plot.column.key == "colour", "the most important one"
    plot.column.show_key("b")
    assert "not computed yet" in plot.strip.progress_label.text()
    plot.strip.compute_button.click()
    assert plot_helper.asked[-1][0] == "compute_column_effects"
    assert plot_helper.asked[-1][1]["column"] == "b"


@pytest.mark.slow
def test_importance_failure_can_be_retried(
    plot: ColumnsPlot, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    plot_helper.error = "None of the members could be refitted."
    plot.start_computation()
    assert plot.strip.progress_label.text() == plot_helper.error
    assert plot.strip.compute_button.isVisible()
    plot_helper.error = ""
    plot.start_computation()
    assert not plot.strip.isVisible()


def test_date_column_has_date_axis() -> None:
    grid = np.array([19_723.0, 19_800.0, 20_100.0])
    means = np.array([[0.4], [0.5], [0.7]])
    dated = Dependence(grid, (), means, np.array([]), np.array([5, 5, 5]), 0, date=DAYS)
    plain = replace(dated, date=None)
    assert format_value(dated, 0) == "2024-01-01"
    assert format_value(plain, 0) == "19,723"
    tick_labels = make_tick_labels(dated, 19_700.0, 20_120.0)
    assert tick_labels and all(re.fullmatch("20[0-9]{2}-[0-9]{2}", text) for _, text in tick_labels)
    german = replace(dated, date=DatePart("days", "day-first", mark="."))
    assert format_value(german, 0) == "01.01.2024"
    tick_labels = make_tick_labels(german, 19_700.0, 20_120.0)
    assert tick_labels and all(
        re.fullmatch(r"[0-9]{2}\.20[0-9]{2}", text) for _, text in tick_labels
    )
    assert len({text for _, text in tick_labels}) == len(tick_labels), (
        "months distinguish the ticks"
    )
    near = make_tick_labels(german, 19_700.0, 19_760.0)
    assert near and all(text.count(".") == 2 for _, text in near), "within months, days"
    assert make_tick_labels(plain, 19_700.0, 20_120.0) is None


def test_years_are_formatted_without_comma() -> None:
    grid = np.array([2019.0, 2021.0, 2024.0])
    years = Dependence(grid, (), np.zeros((3, 1)), np.zeros(0), np.ones(3, dtype=int), 0)
    tick_labels = make_tick_labels(years, 2018.5, 2024.5)
    assert tick_labels is not None
    assert [text for _, text in tick_labels] == ["2020", "2022", "2024"]
    assert make_tick_labels(replace(years, grid=10 * grid), 20_185.0, 20_245.0) is None


def test_axis_has_labelled_tick_below_lowest_probability() -> None:
    dependence = EFFECTS.dependences[A]
    for low, high, lowest_tick in ((0.03, 0.62, 0.0), (0.17, 0.62, 20.0), (0.302, 0.33, 30.0)):
        means = np.linspace(low, high, len(dependence.grid))
        effects = replace(
            EFFECTS, dependences={A: replace(dependence, means=np.column_stack([1 - means, means]))}
        )
        axis = ColumnEffectFigure(effects, A, 1).make_figure().panels[0].y
        assert axis.ticks is not None
        assert axis.ticks[0][0] == pytest.approx(lowest_tick)
        assert axis.low < lowest_tick


def test_increase_of_share_is_drawn_in_percent() -> None:
    share = replace(EFFECTS, metric="Error rate", unit="%")
    bars = EFFECTS.order[:2].tolist()
    for effects, factor, unit in ((EFFECTS, 1, ""), (share, 100, "(%)")):
        figure = make_importance_figure(PLAN, effects, bars)
        boxes = next(mark for mark in figure.marks if isinstance(mark, Boxes))
        assert boxes.x1.tolist() == pytest.approx([0.3 * factor, 0.15 * factor])
        assert figure.panels[0].x.label.endswith(unit)


@pytest.mark.slow
def test_intervals_are_hidden_in_narrow_plot(qtbot: Any) -> None:
    texts = {}
    for width in (250, 700):
        plot = StaticFigure(300)
        qtbot.addWidget(plot)
        plot.resize(width, 320)
        plot.show()
        bars = EFFECTS.order[:2].tolist()
        plot.show_figure(make_importance_figure(PLAN, EFFECTS, bars), "", lambda _: "")
        qtbot.wait(50)
        texts[width] = [each.text for each in read_painted_texts(plot)]
        assert find_outside(plot, read_painted_texts(plot)) == []
    interval = format_rise(EFFECTS, 0)
    assert interval in texts[700]
    assert interval not in texts[250] and interval.partition(" (")[0] in texts[250]
