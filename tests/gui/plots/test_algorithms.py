"""Shares of the algorithms in artificial runs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from studio.document.trials import Iteration
from studio.figures.marks import Area
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.algorithms import (
    MAX_COLUMNS,
    AlgorithmsPlot,
    BranchShares,
    describe_trial_share,
    describe_weight_share,
    find_branch,
    summarise_plot,
)
from studio.gui.session.learner_names import (
    format_value,
    get_learner_name,
    get_learner_noun,
    get_learner_short_name,
)
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.visible_content import get_scene_position


def make_series(branches: str, members: list[dict[int, float]]) -> RunSeries:
    series = RunSeries(branch_parameter="algorithm", branches=("a", "b", "c"))
    trials = [Trial(n, {"algorithm": b}, n, 0.1 * n) for n, b in enumerate(branches, start=1)]
    records = [
        Iteration(number, members=tuple(weights.items()))
        for number, weights in enumerate(members, start=1)
    ]
    series.extend(trials, records)
    return series


def test_algorithm_shares_are_of_trials_and_weights() -> None:
    series = make_series("aabb", [{}, {1: 1.0}, {1: 0.5, 3: 0.5}, {1: 0.2, 3: 0.6}])
    data = BranchShares(series).make_data(None, "all")
    assert data.branches == ("a", "b")
    assert data.iterations.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(data.trials, [[1, 1, 2 / 3, 0.5], [0, 0, 1 / 3, 0.5]])
    np.testing.assert_allclose(data.members, [[0, 1, 0.5, 0.25], [0, 0, 0.5, 0.75]])


def test_moving_window_drops_early_trials() -> None:
    series = make_series("a" * 20 + "b" * 10, [{}] * 30)
    counter = BranchShares(series)
    np.testing.assert_allclose(counter.make_data(None, "window").trials[:, -1], [0.5, 0.5])
    np.testing.assert_allclose(counter.make_data(None, "all").trials[:, -1], [2 / 3, 1 / 3])
    assert counter.count_trials("a", 30, "window") == (10, 20)


def test_algorithm_counts_are_incremental() -> None:
    series = make_series("ab", [{}, {1: 1.0}])
    counter = BranchShares(series)
    counter.make_data(None, "all")
    more = [*series.trials, Trial(3, {"algorithm": "c"}, 3, 0.1)]
    series.extend(more, [*series.iterations, Iteration(3, members=((3, 1.0),))])
    incremental_data = counter.make_data(None, "all")
    fresh = BranchShares(series).make_data(None, "all")
    np.testing.assert_array_equal(incremental_data.trials, fresh.trials)
    np.testing.assert_array_equal(incremental_data.members, fresh.members)


def test_series_branches_do_not_depend_on_growth() -> None:
    full_series, growing_series = make_series("abdcda", [{}] * 6), make_series("ab", [{}] * 2)
    assert full_series.branch_names == ["a", "b", "c", "d"]
    assert full_series.branch_indices.tolist() == [0, 1, 3, 2, 3, 0]
    for until in (3, 5, 6):
        growing_series.extend(full_series.trials[:until], full_series.iterations[:until])
    assert growing_series.branch_names == full_series.branch_names
    np.testing.assert_array_equal(growing_series.branch_indices, full_series.branch_indices)
    assert growing_series.get_most_tried() == ["a", "d", "b", "c"]
    assert growing_series.get_most_tried(newest=3) == ["c", "d", "a"]
    alone = RunSeries(trials=full_series.trials)
    assert (alone.branch_names, alone.get_most_tried()) == ([""], [])


def test_long_run_is_thinned_to_every_fourth_iteration() -> None:
    length = 2 * MAX_COLUMNS + 5  # which needs steps of 4
    data = BranchShares(make_series("ab" * length, [{}] * length)).make_data(None, "window")
    assert len(data.iterations) <= MAX_COLUMNS
    assert data.iterations[-1] == length
    assert data.iterations[0] == 4
    np.testing.assert_allclose(data.trials.sum(axis=0), 1.0)


def test_area_is_found_by_cumulative_share() -> None:
    shares = np.array([0.2, 0.0, 0.8])
    assert [find_branch(shares, height) for height in (0.1, 0.3, 1.0, 1.1)] == [0, 2, 2, -1]
    assert find_branch(np.zeros(3), 0.5) == -1


def test_algorithm_descriptions_have_counts_and_shares() -> None:
    series = make_series("aab", [{}, {1: 1.0}, {1: 0.25, 3: 0.75}])
    counter = BranchShares(series)
    data = counter.make_data(None, "all")
    assert contains_facts(
        describe_trial_share(counter, "a", 3, "all", str), "iteration 3", "a: 2 of 3", "67 %"
    )
    assert contains_facts(
        describe_weight_share(counter, "b", 3, 0.75, str), "1 of 2 members", "75 %"
    )
    text = summarise_plot(counter, data)
    assert "most tried: a (67 %" in text
    assert "the ensemble: b (75 %" in text


def test_algorithms_plot_needs_root_choice(
    qtbot: Any, plot_helper: Any, make_subject: Callable[..., Subject]
) -> None:
    plot = AlgorithmsPlot(plot_helper)
    qtbot.addWidget(plot)
    subject = make_subject(12)
    subject.series.branch_parameter = None
    plot.follow(subject)
    assert "no choice" in plot.empty_text
    assert plot.view.isHidden()


def test_hover_text_names_area(
    qtbot: Any, plot_helper: Any, make_subject: Callable[..., Subject]
) -> None:
    plot = AlgorithmsPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(700, 420)
    plot.show()
    plot.follow(make_subject(20))
    text = plot.describe_item_at(get_scene_position(plot.canvas, 10, 50))
    assert text.startswith("iteration 10")
    assert any(get_learner_name(branch) in text for branch in make_subject(20).series.branch_names)
    with qtbot.waitSignal(plot.iteration_picked) as blocker:
        plot.handle_scene_click(get_scene_position(plot.canvas, 7, 50))
    assert blocker.args == [7]


def test_earlier_iteration_shows_no_later_shares() -> None:
    series = make_series("aab" * 10, [{1: 1.0}] * 30)
    data = BranchShares(series).make_data(2, "all")
    assert (data.iterations.tolist(), data.branches) == ([1, 2], ("a",))
    assert (data.last, data.iteration) == (30, 2)
    then = make_series("aab" * 10, [{1: 1.0}] * 30)
    long = BranchShares(then).make_data(17, "window")
    assert long.iterations[-1] == 17
    np.testing.assert_allclose(long.trials.sum(axis=0), 1.0)


def test_extra_trees_and_empty_stage_have_consistent_names() -> None:
    assert get_learner_name("extra-trees") == get_learner_short_name("extra-trees") == "Extra trees"
    assert get_learner_noun("extra-trees") == "extra trees"
    names = (get_learner_name, get_learner_short_name, format_value)
    assert {name("empty") for name in names} == {"none"}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "is_full"), [(1100, True), (300, False)])
def test_names_are_full_or_short_in_whole_card(
    width: int, is_full: bool, qtbot: Any, plot_helper: Any, make_recorded_subject: Any
) -> None:
    plot = AlgorithmsPlot(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(width, 500)
    plot.show()
    QApplication.processEvents()
    subject = make_recorded_subject(40)
    plot.follow(subject)
    assert plot.current_figure is not None and plot.data is not None
    get_name = get_learner_name if is_full else get_learner_short_name
    expected = {get_name(each) for each in plot.data.branches}
    assert expected != {
        (get_learner_short_name if is_full else get_learner_name)(each)
        for each in plot.data.branches
    }
    figure = plot.current_figure
    beside = {text for panel in figure.panels for _, text in panel.right_ticks or ()}
    assert {each.name for each in figure.marks if isinstance(each, Area)} == expected
    assert beside <= expected
    assert any(f" {name} (" in figure.default_text for name in expected)
