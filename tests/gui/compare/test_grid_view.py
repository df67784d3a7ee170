"""The grid of a comparison: states, errors, best values and remaining time."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio.compare.answers import GridRow
from studio.gui.pages.compare.grid_table import SymbolLegend, place_segments
from studio.gui.pages.compare.grid_view import describe_cell, make_grid_view
from studio.gui.pages.compare.study_descriptions import add_longest_run, format_progress
from studio.gui.session.run_view import RunView
from studio.numerals import NumeralFormat
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.conftest import ViewMaker
from tests.results import make_result

MEMORY = "It ran out of memory."


def row(runs: list[list[int | None]], **values: Any) -> GridRow:
    grid_row = GridRow("one", "svm-rbf", "binary", "y", 90, "", tuple(map(tuple, runs)))
    return replace(grid_row, **values)


def finished(make_view: ViewMaker, run: int, error: float, seconds: float = 10.0) -> RunView:
    result = make_result(test_error_ensemble=error, seconds=seconds)
    return make_view(id=run, state="finished", result=result)


def test_grid_errors_have_same_precision_as_table(make_view: ViewMaker) -> None:
    views = {
        run: make_view(
            id=run,
            state="finished",
            result=make_result(test_error_ensemble=error, unit="target", metric="rmse"),
        )
        for run, error in ((1, 0.344), (2, 0.3517))
    }
    cells = make_grid_view(["A", "B"], [row([[1], [2]])], views.get).rows[0].cells
    assert [each.text for each in cells] == ["0.3440", "0.3517"]


def test_grid_errors_have_digits_of_results(make_view: ViewMaker) -> None:
    views = {run: finished(make_view, run, error) for run, error in ((1, 0.0286), (2, 0.0381))}
    rows = [row([[1], [2]])]
    formats = {rows[0].name: NumeralFormat(1)}
    cells = make_grid_view(["A", "B"], rows, views.get, formats).rows[0].cells
    assert [each.text for each in cells] == ["2.9 %", "3.8 %"]
    assert cells[0].format_figure(0.0286) == "2.9"


def test_repetition_figures_are_shown_if_they_fit(make_view: ViewMaker, qtbot: QtBot) -> None:
    runs = range(1, 21)
    views = {run: finished(make_view, run, 0.01 * run) for run in runs}
    few, many = (
        make_grid_view(["A"], [row([list(runs)[:count]])], views.get).rows[0].cells[0]
        for count in (3, 20)
    )
    area = QRectF(0, 0, 200, 64)
    boxes, figures = place_segments(area, few)
    assert figures == ["1.00", "2.00", "3.00"]
    assert [box.left() for box in boxes] == sorted({box.left() for box in boxes})
    assert boxes[0].bottom() < area.bottom() - 15, "there is a line for them"
    boxes, figures = place_segments(area, many)
    assert set(figures) == {""}
    assert boxes[-1].right() <= area.right()


def make_running_run(make_view: ViewMaker, run: int, trials: int) -> RunView:
    view = make_view(id=run, state="running", settings={"budget": 10})
    view.trials.extend(Trial(k, {}, 0, 0.1) for k in range(1, trials + 1))
    return view


def test_grid_shows_states_errors_and_best(make_view: ViewMaker) -> None:
    views = {
        1: finished(make_view, 1, 0.10),
        2: finished(make_view, 2, 0.20),
        3: finished(make_view, 3, 0.12),
        4: make_running_run(make_view, 4, 4),
        5: make_view(id=5, state="failed", message=MEMORY),
        6: make_view(id=6, state="stopped"),
        7: make_view(id=7, state="waiting"),
    }
    views[7].is_alive = False
    grid = make_grid_view(["A", "B", "C"], [row([[1, 2], [3, 4], [5, 6]])], views.get)
    a, b, c = grid.rows[0].cells
    starting = make_grid_view(["A"], [row([[7]])], views.get).rows[0].cells[0]
    assert [each.state for each in starting.segments] == ["open"]
    # A's second repetition was hard, and B has not finished it: only the first is compared.
    assert (a.text, b.text, c.text) == ("10.0 %", "12.0 %", "–")
    assert (a.is_best, b.is_best, c.is_best) == (True, False, False)
    assert contains_facts(describe_cell(grid.rows[0], "A", a), "10.0 %", "1 of 2 repetitions")
    assert [each.state for each in (*b.segments, *c.segments)] == [
        "finished",
        "running",
        "failed",
        "stopped",
    ]
    assert b.segments[1].progress == pytest.approx(0.4)
    text = describe_cell(grid.rows[0], "C", c)
    assert MEMORY in text
    assert grid.n_planned_runs == 6


def test_best_is_not_marked_for_different_repetitions(make_view: ViewMaker) -> None:
    views = {1: finished(make_view, 1, 0.10), 2: finished(make_view, 2, 0.20)}
    grid = make_grid_view(["A", "B"], [row([[1, None], [None, 2]])], views.get)
    assert [(each.text, each.is_best) for each in grid.rows[0].cells] == [
        ("10.0 %", False),
        ("20.0 %", False),
    ]


def test_skipped_data_set_is_not_counted(make_view: ViewMaker) -> None:
    views = {1: finished(make_view, 1, 0.1)}
    broken = row([[None]], name="broken", rows=0, exclusion_reason="It is no table.")
    rows = [row([[1]]), broken]
    grid = make_grid_view(["A"], rows, views.get)
    assert (grid.n_planned_runs, grid.count("out")) == (1, 1)
    assert describe_cell(grid.rows[1], "A", grid.rows[1].cells[0]).endswith(broken.exclusion_reason)
    assert contains_facts(
        format_progress(grid, None, is_running=False), "1 of 1 run finished", "1 left out"
    )


def test_grid_rows_show_space(make_view: ViewMaker) -> None:
    rows = [row([[None]]), row([[None]], space="sklearn-cash")]
    grid = make_grid_view(["A"], rows, {}.get)
    assert [each.name for each in grid.rows] == ["one / svm-rbf", "one / sklearn-cash"]


def test_progress_contains_remaining_time() -> None:
    grid = make_grid_view(["A"], [row([[None]])], {}.get)
    assert "about 50 s left" in format_progress(grid, 50.0, is_running=True)
    assert "first runs" in format_progress(grid, None, is_running=True)


def test_size_note_names_run_longer_than_limit() -> None:
    for seconds, longest in ((15.0, 14.0), (15.0, 15.3), (None, 58.0)):
        assert add_longest_run("9 runs", seconds, longest, 1) == "9 runs"
    with_one, with_many = (add_longest_run("9 runs", 15.0, 58.0, each) for each in (1, 40))
    assert contains_facts(with_one, "9 runs", "58 s", "first model")
    assert contains_facts(with_many, "9 runs", "58 s")
    assert "first" not in with_many


def test_unsupported_method_is_skipped(make_view: ViewMaker) -> None:
    reason = "EO-sqm optimises an ensemble of votes: choose another method for numbers."
    views = {1: finished(make_view, 1, 0.10)}
    grid_row = row([[1], [None]], rejections=(("",), (reason,)))
    grid = make_grid_view(["RS", "EO-sqm"], [grid_row], views.get)
    assert (grid.n_planned_runs, grid.count("finished"), grid.count("out")) == (1, 1, 1)
    assert reason in describe_cell(grid.rows[0], "EO-sqm", grid.rows[0].cells[1])
    assert contains_facts(
        format_progress(grid, None, is_running=False), "1 of 1 run finished", "1 left out"
    )


def test_legend_hint_is_not_truncated_in_narrow_window(qtbot: QtBot) -> None:
    legend = SymbolLegend()
    qtbot.addWidget(legend)
    legend.resize(640, legend.heightForWidth(640))
    legend.show()
    (hint,) = (each for each in legend.findChildren(QLabel) if "numbers" in each.text())
    assert QLabel.text(hint).endswith("test errors"), "nothing of it is cut"
    assert hint.height() >= hint.heightForWidth(hint.width())
