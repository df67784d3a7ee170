"""The sentence above the surrogate's plots, for newcomers."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.analysis.answers.surrogate import NextTrial
from studio.figures.ink import MUTED
from studio.figures.marks import Dots, Line, Rule, WordMarks
from studio.gui.base.preferences import get_appearance
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.slice import SlicePlot
from studio.gui.plots.search.slice_model import (
    _format_expectation,
    describe_in_plain_words,
    make_slice_data,
)
from studio.gui.plots.search.surrogate_map import (
    SurrogateMapPlot,
    describe_map_in_plain_words,
    make_map_data,
)
from studio.gui.session.learner_names import format_choice
from studio.gui.shell.bars.replay_bar import RecordingSummary, SurrogateSummary, describe_recording
from studio.measure import Measure
from studio.space.space import Space
from tests.facts import contains_facts
from tests.gui.plots.examples import PLANE, SLICE


def describe_slice(**values: Any) -> str:
    return describe_in_plain_words(make_slice_data(replace(SLICE, **values), Measure()))


def test_slice_names_lowest_expectation_and_next_trial() -> None:
    text = describe_slice()
    assert contains_facts(text, f"at {SLICE.grid[0]:g}", "20.1\N{NO-BREAK SPACE}%", "next: 7")
    higher = describe_slice(mean=SLICE.mean[::-1].copy())
    assert contains_facts(higher, f"at {SLICE.grid[-1]:g}")
    assert "next" not in describe_slice(next_trial=None)
    same = describe_slice(mean=np.full(30, 0.2), acquisition=np.zeros(30))
    assert "20\N{NO-BREAK SPACE}%" not in same and "next" not in same
    flat = describe_slice(mean=np.full(30, 0.2))
    assert contains_facts(flat, "everywhere: 20\N{NO-BREAK SPACE}%", "next: 7"), "nothing is lowest"


@pytest.mark.parametrize(
    ("mean", "sd", "is_chosen", "expected"),
    [
        (0.20, 0.02, True, "low"),
        (0.20, 0.20, True, "low"),
        (0.35, 0.10, True, "unknown"),
        (0.35, 0.05, True, ""),
        (0.20, 0.02, False, ""),
        (0.35, 0.10, False, ""),
    ],
)
def test_next_trial_is_explained_by_its_expectation_and_uncertainty(
    mean: float, sd: float, is_chosen: bool, expected: str
) -> None:
    following = NextTrial(7.0, mean, sd, 1.0)
    answer = replace(SLICE, next_trial=following, is_next_chosen=is_chosen)
    assert make_slice_data(answer, Measure()).next_reason == expected


def test_next_trial_has_its_own_expectation_off_the_slice() -> None:
    answer = replace(SLICE, next_trial=NextTrial(7.0, 0.35, 0.1, 1.0, is_on_slice=False))
    data = make_slice_data(answer, Measure())
    assert (data.next_mean, data.next_sd) == pytest.approx((35.0, 10.0))
    assert make_slice_data(replace(SLICE, next_trial=None), Measure()).next_reason == ""


def test_slice_names_settings_that_are_held_and_branch_of_next_trial() -> None:
    held = {"kernel": "rbf", "width": 3.25}
    text = describe_slice(fixed_settings=held, fixed_trial=3, is_fixed_best=True)
    assert contains_facts(text, "kernel = rbf, width = 3.25", "at 1", "next: 7")
    assert "n_neighbors" not in text
    partly = describe_slice(fixed_settings=held, fixed_trial=3)
    assert contains_facts(partly, "n_neighbors", "kernel = rbf, width = 3.25")
    elsewhere = NextTrial(7.0, 0.3, 0.1, 1.0, other_branch="poly", is_on_slice=False)
    text = describe_slice(branching_choice="kernel", next_trial=elsewhere)
    assert contains_facts(text, "next: 7", "kernel = poly")
    inactive = replace(elsewhere, value=None)
    text = describe_slice(branching_choice="kernel", next_trial=inactive)
    assert contains_facts(text, "next: kernel = poly")


def test_many_held_settings_are_shortened() -> None:
    names = "abcdef"
    text = describe_slice(fixed_settings=dict.fromkeys(names, 0.5), fixed_trial=3)
    assert contains_facts(text, "a = 0.5", "d = 0.5, …") and "e = 0.5" not in text


def test_trials_of_other_branches_are_faded(
    qtbot: QtBot, plot_helper: Any, make_subject: Callable[..., Subject]
) -> None:
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    is_in_branch = np.array([True, True, False])
    elsewhere = NextTrial(7.0, 0.3, 0.1, 1.0, other_branch="poly", is_on_slice=False)
    parted = replace(
        SLICE, is_trial_in_branch=is_in_branch, branching_choice="kernel", next_trial=elsewhere
    )
    figures = [
        plot.make_figure(make_slice_data(each, Measure()), make_subject(3))
        for each in (SLICE, parted)
    ]
    dots = [[each for each in figure.marks if isinstance(each, Dots)] for figure in figures]
    assert [each.x.tolist() for each in dots[0]] == [[3.0, 12.0]]
    own, faded = dots[1]
    assert (own.x.tolist(), faded.x.tolist()) == ([3.0], [12.0])
    (line,) = (each for each in figures[1].marks if isinstance(each, Line) and each.name)
    assert all(each.outline is None for each in dots[1])
    assert None not in (faded.depth, own.depth, line.depth)
    assert sorted([line, faded, own], key=lambda each: each.depth or 0.0) == [faded, own, line]
    assert faded.ink.alpha < own.ink.alpha and "kernel" in faded.name
    rules = [next(each for each in figure.marks if isinstance(each, Rule)) for figure in figures]
    assert rules[0].ink != rules[1].ink == MUTED
    labels = [
        next(each.texts[0] for each in figure.marks if isinstance(each, WordMarks))
        for figure in figures
    ]
    assert "poly" not in labels[0] and "kernel = poly" in labels[1]


@pytest.mark.parametrize(
    ("lowest", "difference", "expected"),
    [
        (0.13342, 0.0004, "about 0.1334."),
        (0.13342, 0.4, "about 0.133."),
        (0.0195, 0.4, "about 0.0195."),
        (1322.4, 1.0, "about 1,322.4."),
        (1322.4, 99.0, "about 1,322."),
        (-0.13342, 0.0004, "about -0.1334."),
        (0.0, 0.0004, "about 0."),
    ],
)
def test_lowest_expectation_can_be_found_on_axis(
    lowest: float, difference: float, expected: str
) -> None:
    text = describe_slice(
        mean=lowest + difference * np.linspace(0, 1, 30),
        sd=np.full(30, difference / 2),
        trial_targets=np.repeat(lowest, 3),
        in_metric=False,
        objective="ensemble loss",
    )
    assert contains_facts(text.replace("−", "-"), expected)


@pytest.mark.parametrize(
    ("mean", "sd", "named", "possible"),
    [
        ([3.46, 3.45, 3.45, 3.48], [0.002] * 4, ("Forest", "Neighbours"), ()),
        ([3.455, 3.45, 3.49, 3.52], [0.01] * 4, ("Forest",), ("QDA",)),
        ([3.455, 3.45, 3.46, 3.449], [0.01] * 4, ("Ridge",), ("elsewhere",)),
    ],
)
def test_slice_names_choices_that_are_as_low(
    mean: list[float], sd: list[float], named: tuple[str, ...], possible: tuple[str, ...]
) -> None:
    choices = ("qda", "forest", "knn", "ridge")
    data = make_slice_data(
        replace(
            SLICE, parameter="algorithm", choices=choices, grid=np.arange(4.0),
            mean=np.array(mean), sd=np.array(sd), acquisition=np.arange(4.0), next_trial=None,
            trial_values=np.arange(4.0), trial_targets=np.array(mean), trial_numbers=np.arange(4),
            is_trial_in_branch=np.ones(4, dtype=bool), in_metric=False,
        ),
        Measure(),
    )  # fmt: skip
    text = describe_in_plain_words(data).partition("owest at ")[2]
    lowest, _, others = text.partition(": about ")
    assert lowest == ", ".join(named), "the names of the axis"
    names = {format_choice("algorithm", each) for each in choices} | {"elsewhere"}
    assert {each for each in names if each in others} == set(possible)


@pytest.mark.parametrize(
    ("depth", "sd", "expected"),
    [(0.1, 0.001, "0.01995"), (0.005, 0.05, "elsewhere"), (0.1, 0.04, "0.0035 to 0.11")],
)
def test_slice_of_number_names_range_that_is_as_low(depth: float, sd: float, expected: str) -> None:
    x = np.linspace(-3, 0, 121)
    data = make_slice_data(
        replace(
            SLICE, is_log=True, grid=10**x, mean=0.1269 + depth * (x - np.log10(0.02)) ** 2,
            sd=np.full(121, sd), acquisition=x, draws=np.empty((0, 121)),
        ),
        Measure(),
    )  # fmt: skip
    text = describe_in_plain_words(data)
    assert expected in text
    assert ("elsewhere" in text) == (expected == "elsewhere")
    assert (" to " in text) == (sd > 0.001), "a sharp minimum is one value"


def test_map_names_share_that_is_as_low(space: Space) -> None:
    def describe(sd: float) -> str:
        answer = replace(PLANE, sd=np.full_like(PLANE.sd, sd))
        return describe_map_in_plain_words(make_map_data(answer, Measure(), space, "mean"))

    assert "of the map" not in describe(0.01)
    # Steps of 0.3/11: with the lowest 4 of 12 cells are within 0.06·√2.
    assert contains_facts(describe(0.06), "33 %")
    assert "elsewhere" in describe(0.3) and "elsewhere" not in describe(0.06)


def test_map_names_lowest_expectation(space: Space) -> None:
    text = describe_map_in_plain_words(make_map_data(PLANE, Measure(), space, "mean"))
    assert contains_facts(text, "10\N{NO-BREAK SPACE}%", "C = 0.00018,", "Star")
    without = replace(PLANE, next_point=())
    for quantity in ("mean", "sd", "acquisition"):
        data = make_map_data(without, Measure(), space, quantity)
        assert "Star" not in describe_map_in_plain_words(data)
        assert ("10\N{NO-BREAK SPACE}%" in describe_map_in_plain_words(data)) == (
            quantity == "mean"
        )
    empty = replace(PLANE, mean=np.full_like(PLANE.mean, np.nan))
    data = make_map_data(empty, Measure(), space, "mean")
    assert "%" not in describe_map_in_plain_words(data), "no value anywhere"
    cells = np.concatenate([np.full_like(PLANE.mean, np.nan), PLANE.mean[:, ::-1, ::-1]])
    panels = {"panels": ("lda", "rbf-svm"), "mean": cells, "sd": cells, "acquisition": cells}
    data = make_map_data(replace(PLANE, **panels), Measure(), space, "mean")
    assert "10\N{NO-BREAK SPACE}%" in describe_map_in_plain_words(data), (
        "of the panel that has values"
    )


@pytest.mark.slow
@pytest.mark.parametrize("plot_class", [SlicePlot, SurrogateMapPlot])
def test_sentence_is_first_where_it_has_a_place(
    qtbot: QtBot, plot_helper: Any, make_subject: Callable[..., Subject], plot_class: Any
) -> None:
    plot = plot_class(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(500, 600)
    plot.show()
    plot.follow(make_subject(8))
    qtbot.waitUntil(lambda: plot.data is not None)
    plot.refresh()
    label = plot.lead_label
    assert label.isVisible() and label.text()
    assert label.y() < plot.canvas.mapTo(plot, plot.canvas.rect().topLeft()).y()
    plot.resize(500, 280)
    plot.refresh()
    assert label.isHidden()


@pytest.mark.slow
@pytest.mark.parametrize(("height", "is_shown"), [(300, False), (510, True)])
def test_audience_sees_sentence_above_less_high_plots(
    qtbot: QtBot,
    plot_helper: Any,
    make_subject: Callable[..., Subject],
    height: int,
    is_shown: bool,
) -> None:
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    get_appearance().set_presenting(True)
    try:
        plot.resize(1200, height)
        plot.show()
        plot.follow(make_subject(8))
        qtbot.waitUntil(lambda: plot.data is not None)
        plot.refresh()
        assert plot.lead_label.isVisible() == is_shown
    finally:
        get_appearance().set_presenting(False)


def test_number_and_unit_stay_on_one_line(space: Space) -> None:
    texts = [
        describe_slice(),
        describe_map_in_plain_words(make_map_data(PLANE, Measure(), space, "mean")),
    ]
    for text in texts:
        assert "\N{NO-BREAK SPACE}%" in text and " %" not in text


@pytest.mark.parametrize("plot_class", [SlicePlot, SurrogateMapPlot])
def test_sentence_disappears_with_its_drawing(
    qtbot: QtBot, plot_helper: Any, make_subject: Callable[..., Subject], plot_class: Any
) -> None:
    plot = plot_class(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(500, 600)
    plot.show()
    plot.follow(make_subject(8))
    label = plot.lead_label
    assert label.isVisible() and label.text()
    plot_helper.holds_replies = True
    plot.follow(make_subject(8, None, 2))
    assert label.isHidden() and not label.text(), "no reply about this run yet"
    plot_helper.release()
    assert label.isVisible() and label.text()
    plot_helper.reason = "This run has no surrogate yet."
    plot.follow(make_subject(9, None, 2))
    plot_helper.release()
    assert plot.empty_text == plot_helper.reason
    assert label.isHidden() and not label.text()


def test_next_trial_is_labelled_at_its_line(
    qtbot: QtBot, plot_helper: Any, make_subject: Callable[..., Subject]
) -> None:
    plot = SlicePlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(900, 600)
    plot.show()
    plot.follow(make_subject(8))
    qtbot.waitUntil(lambda: plot.data is not None)
    plot.refresh()
    assert plot.data is not None and plot.current_figure is not None
    rules = [each for each in plot.current_figure.marks if isinstance(each, Rule)]
    (label,) = (each for each in plot.current_figure.marks if isinstance(each, WordMarks))
    assert {each.position for each in rules} == {*label.x.tolist()} == {plot.data.next_x}
    assert label.texts[0].strip() not in plot.legend.names, "it needs no key"
    middle = (plot.data.x[0] + plot.data.x[-1]) / 2
    assert label.is_right_aligned == (label.x[0] > middle), "towards the middle"


def test_expectation_has_decimals_of_its_deviation() -> None:
    texts = [_format_expectation(*pair, " %") for pair in ((14.4, 10.2), (7.164, 0.37), (3, 0.0))]
    assert texts[0] == {"mean": "14", "sd": "10 %"}
    assert texts[1] == {"mean": "7.16", "sd": "0.37 %"}
    assert texts[2]["mean"].startswith("3.0")


def test_sentence_says_that_no_trial_has_the_hyperparameter() -> None:
    nobody = replace(
        SLICE,
        trial_values=SLICE.trial_values[:0],
        trial_targets=SLICE.trial_targets[:0],
        trial_numbers=SLICE.trial_numbers[:0],
        is_trial_in_branch=SLICE.is_trial_in_branch[:0],
    )
    texts = [describe_in_plain_words(make_slice_data(each, Measure())) for each in (SLICE, nobody)]
    assert "no trial" not in texts[0].lower()
    assert "no trial" in texts[1].lower()


@pytest.mark.parametrize(
    ("early", "late", "has_learned"), [(0.05, 0.03, True), (0.03, 0.05, False)]
)
def test_recorded_surrogate_has_learned_only_if_it_became_better(
    early: float, late: float, has_learned: bool
) -> None:
    summary = RecordingSummary(learned=SurrogateSummary(60, early, late, "%"))
    (text,) = describe_recording(summary)
    assert ("learned" in text) == has_learned
