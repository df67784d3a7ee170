"""The membership raster, its row orders, and the columns beside it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from studio.analysis.answers.ensemble import Contributions
from studio.document.trials import Iteration
from studio.figures.marks import Dots, Line
from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble import membership_model
from studio.gui.plots.ensemble.membership import (
    MembershipPlot,
    choose_name_scale,
    make_column_marks,
    pick_separate_rows,
)
from studio.gui.plots.ensemble.membership_model import (
    MemberColumns,
    MemberContributions,
    Memberships,
    compute_columns,
    describe_member,
    read_contributions,
    sort_rows,
)
from studio.gui.session.learner_names import get_learner_short_name
from studio.language import tr
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.visible_content import get_scene_position

NAN = float("nan")
SubjectMaker = Callable[..., Subject]


def make(losses: list[float], *ensembles: dict[int, float]) -> RunSeries:
    series = RunSeries()
    trials = [Trial(number, {}, number, loss) for number, loss in enumerate(losses, start=1)]
    iterations = [
        Iteration(number=number, members=tuple(members.items()))
        for number, members in enumerate(ensembles, start=1)
    ]
    series.extend(trials, iterations)
    return series


@pytest.fixture
def series() -> RunSeries:
    return make([0.3, 0.1, 0.2], {1: 1.0}, {1: 0.5, 2: 0.5}, {2: 0.75, 3: 0.25})


ANSWER = Contributions(
    members=np.array([2, 3]),
    member_test_losses=np.array([0.15, 0.25]),
    without_validation=np.array([0.09, 0.13]),
    without_test=np.array([0.2, NAN]),
    validation=0.1,
    test=0.2,
)


def test_membership_raster_is_incremental(make_series: Callable[[int], RunSeries]) -> None:
    full_series, series, memberships = make_series(20), RunSeries(), Memberships()
    for length in (3, 4, 11, 20):
        series.extend(full_series.trials[:length], full_series.iterations[:length])
        data, fresh = memberships.make_data(series, None), Memberships().make_data(series, None)
        np.testing.assert_array_equal(data.members, fresh.members)
        np.testing.assert_array_equal(data.weights, fresh.weights)
        assert data.branches == fresh.branches
    assert memberships.make_data(series, 5).iteration == 5
    assert memberships.make_data(series, 5).weights is memberships.make_data(series, 5).weights


def test_membership_raster_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership_model, "MAX_COLUMNS", 2)
    monkeypatch.setattr(membership_model, "MAX_ROWS", 1)
    ensembles = ({1: 1.0}, {2: 1.0}, {1: 0.5, 3: 0.5}, {3: 1.0})
    data = Memberships().make_data(make([0.1] * 4, *ensembles), None)
    assert data.iterations.tolist() == [1, 4]
    assert data.members.tolist() == [1]
    assert data.weights.tolist() == [[1.0, 0.0]]
    assert data.n_omitted_members == 2


def test_membership_raster_is_thinned_incrementally(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership_model, "MAX_COLUMNS", 8)
    series, memberships = RunSeries(), Memberships()
    full_series = make([0.1] * 150, *({1 + (n - 1) // 2: 0.25, n: 0.75} for n in range(3, 103)))
    for length in (5, 9, 40, 41, 100):
        series.extend(full_series.trials[:length], full_series.iterations[:length])
        data = memberships.make_data(series, None)
        numbers = data.iterations.tolist()
        assert len(numbers) <= 8
        assert numbers[-1] == length
        assert (np.diff(numbers)[:-1] == np.diff(numbers)[0]).all()
        for column, number in enumerate(numbers):
            there = np.flatnonzero(data.weights[:, column])
            weights_by_member = {int(data.members[row]): data.weights[row, column] for row in there}
            assert weights_by_member == dict(full_series.iterations[number - 1].members)


def test_contribution_equals_loss_increase_without_member(series: RunSeries) -> None:
    data = Memberships().make_data(series, None)
    columns = compute_columns(series, data, read_contributions(ANSWER))
    assert data.members.tolist() == [1, 2, 3]
    assert columns.is_member.tolist() == [False, True, True]
    np.testing.assert_allclose(columns.validation_losses, [30, 10, 20])
    np.testing.assert_allclose(columns.test_losses, [NAN, 15, 25])
    np.testing.assert_allclose(columns.contributions, [NAN, -1, 3])
    np.testing.assert_allclose(columns.test_contributions, [NAN, 0, NAN], atol=1e-12)


def test_out_of_range_error_is_marked_at_edge() -> None:
    own = np.array([10.0, 11.0, 12.0, 13.0, 90.0])
    unknown = np.full(5, NAN)
    columns = MemberColumns(own, unknown, unknown, unknown, np.array([True] * 4 + [False]))
    dots, beyond, *_ = make_column_marks(columns, 1)
    assert isinstance(dots, Dots)
    assert isinstance(beyond, Dots)
    assert dots.y.tolist() == [0, 1, 2, 3]
    assert (beyond.shape, beyond.y.tolist()) == ("right", [4])
    assert beyond.x.tolist() == [13.0]
    assert beyond.name
    assert not make_column_marks(replace(columns, validation_losses=np.full(5, 10.0)), 1)[1].name


def test_membership_ignores_later_trials(series: RunSeries) -> None:
    data = Memberships().make_data(series, 2)
    columns = compute_columns(series, data, MemberContributions())
    assert data.members.tolist() == [1, 2]
    assert data.iterations.tolist() == [1, 2]
    assert (data.last, data.iteration) == (3, 2)
    np.testing.assert_allclose(columns.validation_losses, [30, 10])
    assert columns.is_member.tolist() == [True, True]
    assert describe_member(series, data, columns, 2) == ""


@pytest.mark.parametrize("most", [8, 1500])
def test_earlier_iteration_is_drawn_without_later_trials(
    most: int, make_series: Callable[[int], RunSeries], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership_model, "MAX_COLUMNS", most)
    full_series, memberships = make_series(40), Memberships()
    memberships.make_data(full_series, None)
    for iteration in (0, 1, 7, 30, 39):
        then = RunSeries()
        then.extend(full_series.trials[:iteration], full_series.iterations[:iteration])
        back, was = (
            memberships.make_data(full_series, iteration),
            Memberships().make_data(then, None),
        )
        assert back.members.tolist() == was.members.tolist()
        assert back.n_ever_members == was.n_ever_members
        assert back.last == 40 and (not iteration or back.iterations[-1] == iteration)
        np.testing.assert_array_equal(back.weights[:, -1:], was.weights[:, -1:])


def test_later_members_are_not_counted(series: RunSeries) -> None:
    memberships = Memberships()
    assert [memberships.make_data(series, each).n_ever_members for each in (None, 1, 2)] == [
        3,
        1,
        2,
    ]


def test_membership_orders_put_members_first(series: RunSeries) -> None:
    data = Memberships().make_data(series, None)
    columns = compute_columns(series, data, read_contributions(ANSWER))
    orders = {
        order: data.members[sort_rows(series, data, columns, order)].tolist()
        for order in membership_model.ORDERS
    }
    assert orders == {
        "joined": [1, 2, 3],
        "contribution": [3, 2, 1],
        "own": [2, 3, 1],
        "weight": [2, 3, 1],
    }
    repeated = data.permute_rows(np.array([2, 1, 0]))
    assert repeated.members.tolist() == [3, 2, 1]
    np.testing.assert_array_equal(repeated.weights, data.weights[::-1])


def test_membership_description_has_row(series: RunSeries) -> None:
    data = Memberships().make_data(series, None)
    columns = compute_columns(series, data, read_contributions(ANSWER))
    assert contains_facts(
        describe_member(series, data, columns, 0), "trial 1: alone 30.00 %", "not a"
    )
    text = describe_member(series, data, columns, 1)
    assert contains_facts(
        text, "trial 2: alone 10.00 %", "test 15.00 %", "better by 1.00", "the same"
    )
    assert "worse by 3.00 points" in describe_member(series, data, columns, 2)
    assert describe_member(series, data, columns, 3) == ""


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> MembershipPlot:
    membership_plot = MembershipPlot(plot_helper)
    qtbot.addWidget(membership_plot)
    membership_plot.resize(800, 400)
    membership_plot.show()
    return membership_plot


@pytest.mark.slow
def test_membership_requests_each_ensemble_once(
    plot: MembershipPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    for _ in range(3):
        plot.follow(make_subject(20))
    assert [task for task, _ in plot_helper.asked] == ["contributions"]


@pytest.mark.slow
def test_membership_at_earlier_iteration_counts_its_members(
    plot: MembershipPlot, make_subject: SubjectMaker
) -> None:
    for iteration in (3, 20):
        subject = make_subject(20, iteration)
        plot.follow(subject)
        assert plot.data is not None
        past = subject.series.iterations[:iteration]
        ever = {number for each in past for number, _ in each.members}
        assert f", {len(ever)} so far" in plot.make_figure(plot.data, subject).default_text


@pytest.mark.slow
def test_membership_raster_is_drawn_without_helper_reply(
    plot: MembershipPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot_helper.holds_replies, plot_helper.error = True, "The helper is busy."
    plot.follow(make_subject(20))
    assert plot.empty_text == ""
    plot_helper.release()
    assert plot.empty_text == ""


@pytest.mark.slow
def test_contributions_are_cleared_after_error(
    plot: MembershipPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    def list_descriptions() -> list[str]:
        assert plot.data is not None
        rows = range(len(plot.data.members))
        return [
            plot.describe_item_at(get_scene_position(plot.canvas, 20.0, float(row), panel=1))
            for row in rows
        ]

    plot.follow(make_subject(20))
    assert any("without it" in each for each in list_descriptions())
    plot_helper.error = "The helper is busy."
    plot.follow(make_subject(20, 6))
    assert all("alone" in each or "had not finished" in each for each in list_descriptions())
    assert not any("without it" in each or "only member" in each for each in list_descriptions())


@pytest.mark.slow
def test_hover_beside_raster_describes_contribution(
    plot: MembershipPlot, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    where = get_scene_position(plot.canvas, 20.0, 0.0, panel=1)
    assert "alone" in plot.describe_item_at(where)
    assert "iteration" not in plot.describe_item_at(where)


@pytest.mark.slow
def test_selected_membership_order_is_kept(
    plot: MembershipPlot, make_subject: SubjectMaker
) -> None:
    plot.order.setCurrentIndex(plot.order.findData("own"))
    plot.follow(make_subject(20))
    assert plot.current_figure is not None
    own = next(
        each for each in plot.current_figure.marks if isinstance(each, Dots) and each.panel == 1
    )
    assert (np.diff(own.x[:5]) >= 0).all()


@pytest.mark.slow
def test_narrow_plot_hides_columns(plot: MembershipPlot, make_subject: SubjectMaker) -> None:
    plot.follow(make_subject(20))
    assert plot.current_figure is not None
    assert len(plot.current_figure.panels) == 3
    plot.resize(380, 300)
    plot.follow(make_subject(20))
    assert len(plot.current_figure.panels) == 1


@pytest.mark.slow
def test_columns_beside_raster_are_aligned(
    plot: MembershipPlot, make_subject: SubjectMaker
) -> None:
    for width in (680, 800):
        plot.resize(width, 400)
        QApplication.processEvents()
        plot.follow(make_subject(20))
        for row in (0.0, 5.0):
            heights = [get_scene_position(plot.canvas, 0.0, row, panel).y() for panel in range(3)]
            assert max(heights) - min(heights) < 1


def test_columns_have_two_numbers_each(plot: MembershipPlot, make_subject: SubjectMaker) -> None:
    plot.resize(900, 400)
    QApplication.processEvents()
    plot.follow(make_subject(20))
    columns = [axes for axes, cells in plot.canvas.ci.items.items() if cells[0][1] > 0]
    assert len(columns) == 2
    for axes in columns:
        low, high = axes.getViewBox().viewRange()[0]
        levels = axes.getAxis("bottom").tickValues(low, high, axes.getViewBox().width())
        assert len(levels[0][1]) >= 2


@pytest.mark.slow
def test_legend_omits_names_on_axes(plot: MembershipPlot, make_subject: SubjectMaker) -> None:
    for iteration in (None, 7):
        subject = make_subject(20, iteration)
        plot.follow(subject)
        assert plot.data is not None
        branches = {get_learner_short_name(each) for each in plot.data.branches}
        others = set(plot.legend.names) - branches
        names = {tr("on test rows"), tr("beyond the edge"), tr("fainter: smaller weight")}
        assert others <= names
        first = next(each for each in plot.legend.names if each != tr("beyond the edge"))
        assert first == tr("on test rows"), "never hidden"


@pytest.mark.slow
def test_row_labels_do_not_overlap(plot: MembershipPlot, make_subject: SubjectMaker) -> None:
    plot.show()
    plot.resize(1000, 400)
    QApplication.processEvents()
    subject = make_subject(20)
    plot.follow(subject)
    assert plot.current_figure is not None and plot.data is not None
    ticks = plot.current_figure.panels[0].y.ticks
    assert ticks is not None
    labels = [text for _, text in ticks]
    weights = dict(subject.members)
    for label, trial, branch in zip(
        labels, plot.data.members.tolist(), plot.data.branches, strict=True
    ):
        parts = [str(trial), get_learner_short_name(branch)]
        assert contains_facts(label, *parts)
        assert ("%" in label) == (trial in weights), "its weight, if it is a member now"
    gaps = [each for each in plot.current_figure.marks if isinstance(each, Line)]
    assert [len(each.x) for each in gaps] == [2 * (len(labels) - 1)], "between equal colours"
    assert tr("fainter: smaller weight") in plot.legend.names


def test_names_shrink_to_default_size_before_omission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theme, "scale", lambda: 1.6)
    assert [choose_name_scale(n, 27) for n in (20, 27, 34)] == [1.0, 26 / 27, 26 / 34]
    assert choose_name_scale(100, 27) == 1 / 1.6
    monkeypatch.setattr(theme, "scale", lambda: 1.0)
    assert choose_name_scale(34, 27) == 1.0


def test_small_plot_labels_current_members_only(
    plot: MembershipPlot, make_subject: SubjectMaker
) -> None:
    plot.show()
    plot.resize(1000, 190)
    QApplication.processEvents()
    subject = make_subject(20)
    plot.follow(subject)
    assert plot.current_figure is not None and plot.data is not None
    ticks = plot.current_figure.panels[0].y.ticks
    assert ticks is not None and 0 < len(ticks) < len(plot.data.members)
    assert {int(text.split(" · ")[0]) for _, text in ticks} <= dict(subject.members).keys()


@pytest.mark.slow
def test_controls_are_hidden_during_presentation(
    plot: MembershipPlot, make_subject: SubjectMaker
) -> None:
    plot.follow(make_subject(20))
    controls = (plot.order, plot.what_if_chip)
    get_appearance().set_presenting(True)
    try:
        assert all(each.isHidden() for each in controls)
    finally:
        get_appearance().set_presenting(False)
    assert not any(each.isHidden() for each in controls)


def test_rows_of_current_members_are_labelled_first() -> None:
    labels = [str(row) for row in range(10)]
    ticks = pick_separate_rows([3, 8, *range(10)], 2.0, labels)
    assert [row for row, _ in ticks] == [0, 3, 5, 8]
