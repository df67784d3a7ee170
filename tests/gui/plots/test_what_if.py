"""The what-if ensemble: its model without a window, and the panel with a helper."""

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from studio.gui.plots.base.plot import HelperPlot
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble.membership import MembershipPlot
from studio.gui.plots.ensemble.membership_model import (
    WhatIfModel,
    compare_losses,
    list_available_trials,
)
from studio.gui.plots.ensemble.what_if_panel import (
    CONTRIBUTION_COLUMN,
    OWN_TEST_COLUMN,
    TRIAL_COLUMN,
    WEIGHT_COLUMN,
    WhatIfPanel,
)
from studio.gui.widgets.kit import NON_BREAKING_SPACE
from studio.language import tr
from studio.measure import UNKNOWN_TEXT, Measure
from tests.facts import contains_facts
from tests.gui.visible_content import get_scene_position

pytestmark = pytest.mark.slow

MEMBERS = ((3, 0.25), (1, 0.5), (7, 0.25))
SubjectMaker = Callable[..., Subject]


@pytest.fixture
def model() -> WhatIfModel:
    what_if_model = WhatIfModel()
    what_if_model.follow(MEMBERS)
    return what_if_model


def test_what_if_ensemble_follows_search_until_edited(model: WhatIfModel) -> None:
    assert model.list_members(9) == [(1, 0.5), (3, 0.25), (7, 0.25)]
    assert not model.is_edited
    model.follow(((2, 1.0),))
    assert model.list_members(9) == [(2, 1.0)]


def test_removed_member_stays_listed(model: WhatIfModel) -> None:
    model.set_checked(1, False)
    assert [entry.number for entry in model.entries] == [1, 3, 7]
    assert model.get_share(1, 9) == 0.0
    assert model.get_share(3, 9) == 0.5
    model.follow(((2, 1.0),))
    assert model.list_members(9) == [(3, 0.25), (7, 0.25)]


def test_added_trial_gets_mean_weight(model: WhatIfModel) -> None:
    model.add([9])
    assert model.get_share(9, 9) == pytest.approx(0.25)
    model.add([9])
    assert [entry.number for entry in model.entries] == [1, 3, 7, 9]


def test_unfinished_trial_cannot_become_member(model: WhatIfModel) -> None:
    assert model.list_members(5) == [(1, 0.5), (3, 0.25)]
    assert model.get_share(7, 5) == 0.0
    assert model.get_share(1, 5) == pytest.approx(2 / 3)


def test_changing_weight_keeps_proportions_of_others(model: WhatIfModel) -> None:
    model.set_share(3, 0.7)
    assert model.get_share(3, 9) == pytest.approx(0.7)
    assert model.get_share(1, 9) == pytest.approx(0.2)
    assert model.get_share(7, 9) == pytest.approx(0.1)
    model.set_share(3, 5.0)
    assert model.get_share(3, 9) == pytest.approx(0.99)
    before = model.entries
    model.set_share(3, 0.0)
    assert model.entries == before


def test_what_if_edits_can_be_undone_and_redone(model: WhatIfModel) -> None:
    model.toggle(3)
    model.toggle(8)
    assert [number for number, _ in model.list_members(9)] == [1, 7, 8]
    model.reset()
    assert not model.is_edited
    assert model.history.undo()
    assert model.is_edited
    assert [number for number, _ in model.list_members(9)] == [1, 7, 8]
    assert model.history.undo()
    assert model.history.undo()
    assert not model.history.undo()
    assert not model.is_edited
    assert model.history.redo()
    assert [number for number, _ in model.list_members(9)] == [1, 7]


def test_unchanged_weight_creates_no_edit(model: WhatIfModel) -> None:
    model.set_checked(3, True)
    model.reset()
    assert model.history.undo_text == ""


def test_error_comparison_has_description() -> None:
    assert contains_facts(
        compare_losses(0.031, 0.028, Measure()), "3.10 %", "2.80 %", "worse by 0.30 points"
    )
    assert contains_facts(
        compare_losses(0.5, 0.75, Measure("RMSE", "")), "0.5000 ", "0.7500", "better by 0.25"
    )
    worse = compare_losses(3.4867, 2.5503, Measure("RMSE", ""))
    assert worse.endswith("0.936"), "a difference is not more precise than its losses"
    assert compare_losses(0.1, 0.1, Measure()).endswith(": the same")
    assert compare_losses(0.1, None, Measure()) == "what-if 10.00 % (actual –)"


def test_uncertain_difference_is_named() -> None:
    sure = compare_losses(0.031, 0.028, Measure())
    assert compare_losses(0.031, 0.028, Measure(), may_be_chance=True) == f"{sure}; may be chance"
    same = compare_losses(0.1, 0.1, Measure())
    assert compare_losses(0.1, 0.1, Measure(), may_be_chance=True) == same


def test_available_trials_are_sorted_by_loss(make_series: Callable[[int], RunSeries]) -> None:
    series = make_series(20)
    available_trials = list_available_trials(series, 10, members=[1, 2])
    assert {offer.number for offer in available_trials} == {3, 5, 6, 7, 8, 10}
    assert [offer.loss for offer in available_trials] == sorted(
        offer.loss for offer in available_trials
    )
    first = available_trials[0]
    assert first.matches(f"{first.number} {series.get_branch(first.number).upper()}")
    assert not first.matches(f"{first.number} nonsense")


# With a window ------------------------------------------------------------------------------


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any, make_subject: SubjectMaker) -> MembershipPlot:
    membership_plot = MembershipPlot(plot_helper)
    qtbot.addWidget(membership_plot)
    membership_plot.resize(1000, 500)
    membership_plot.show()
    membership_plot.follow(make_subject(20))
    membership_plot.what_if_chip.click()
    return membership_plot


@pytest.fixture
def panel(plot: MembershipPlot) -> WhatIfPanel:
    return plot.what_if


def count_requests(plot_helper: Any) -> list[int]:
    tasks = [arguments for task, arguments in plot_helper.asked if task == "what_if"]
    return [number for number, _ in tasks[-1]["weights"]]


def test_what_if_ensemble_starts_with_search_members(
    panel: WhatIfPanel, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    members = {number for number, _ in make_subject(20).series.iterations[-1].members}
    assert set(count_requests(plot_helper)) == members
    assert panel.table.rowCount() == len(members)
    assert "the search's ensemble" in panel.validation_label.text()
    assert not panel.back_button.isVisible()


def test_unchecking_member_updates_error(panel: WhatIfPanel, plot_helper: Any) -> None:
    cell = panel.table.index(0, TRIAL_COLUMN)
    number = panel.table.records[0].number
    assert panel.table.setData(cell, Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole)
    assert number not in count_requests(plot_helper)
    validation, test = (
        label.text().replace(NON_BREAKING_SPACE, " ")
        for label in (panel.validation_label, panel.test_label)
    )
    assert contains_facts(validation, "Validation", "4.00 %", "5.00 %", "better by 1.00")
    assert contains_facts(test, "Test", "8.00 %", "10.00 %", "better by 2.00")
    assert panel.table.data(panel.table.index(0, WEIGHT_COLUMN)) == UNKNOWN_TEXT
    panel.back_button.click()
    assert number in count_requests(plot_helper)


def test_what_if_list_has_keyboard_actions(
    qtbot: Any, panel: WhatIfPanel, plot_helper: Any
) -> None:
    number = panel.table.records[1].number
    panel.view.setCurrentIndex(panel.table.index(1, TRIAL_COLUMN))
    qtbot.keyClick(panel.view, Qt.Key.Key_Space)
    assert number not in count_requests(plot_helper)
    qtbot.keyClick(panel.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert number in count_requests(plot_helper)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert number not in count_requests(plot_helper)
    panel.undo_button.click()
    assert number in count_requests(plot_helper)
    panel.redo_button.click()
    assert number not in count_requests(plot_helper)


def test_weight_is_edited_in_percent(panel: WhatIfPanel) -> None:
    cell = panel.table.index(0, WEIGHT_COLUMN)
    assert panel.table.flags(cell) & Qt.ItemFlag.ItemIsEditable
    assert panel.table.setData(cell, 60.0)
    assert panel.table.data(cell) == "60.0 %"
    assert panel.table.data(cell, Qt.ItemDataRole.EditRole) == 60.0
    assert not panel.table.setData(panel.table.index(0, CONTRIBUTION_COLUMN), 60.0)


def test_empty_what_if_ensemble_shows_hint(panel: WhatIfPanel) -> None:
    for row in range(panel.table.rowCount()):
        panel.model.set_checked(panel.table.records[row].number, False)
    panel.reset()
    panel.model.history.redo()
    for row in range(panel.table.rowCount()):
        panel.toggle(panel.table.records[row].number)
    assert "tick a member" in panel.validation_label.text()


def test_trial_can_be_added_by_keyboard(qtbot: Any, panel: WhatIfPanel, plot_helper: Any) -> None:
    picker = panel.open_trial_picker()
    assert picker is not None
    n_before = len(picker.filtered_trials)
    picker.search.setText("nothing has this")
    assert picker.filtered_trials == picker.selected_trials == []
    picker.search.setText("knn")
    assert 0 < len(picker.filtered_trials) < n_before
    trial = picker.filtered_trials[0]
    assert picker.selected_trials == [trial]
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert trial in count_requests(plot_helper)
    assert panel.table.rowCount() == 6


def test_click_beside_raster_toggles_member(plot: MembershipPlot, panel: WhatIfPanel) -> None:
    where = get_scene_position(plot.canvas, 0.0, 0.0, panel=2)
    data = plot.data
    assert data is not None
    number = int(data.members[0])
    before = dict(panel.model.list_members(20))
    plot.handle_scene_click(where)
    assert (number in dict(panel.model.list_members(20))) != (number in before)


def test_what_if_edits_survive_iteration_but_not_run_change(
    plot: MembershipPlot, panel: WhatIfPanel, make_subject: SubjectMaker
) -> None:
    panel.toggle(panel.table.records[0].number)
    plot.follow(make_subject(20, 12))
    assert panel.model.is_edited
    plot.follow(make_subject(20, None, 2))
    assert not panel.model.is_edited


def test_headline_of_previous_run_is_cleared(
    plot: MembershipPlot, panel: WhatIfPanel, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    panel.toggle(panel.table.records[0].number)
    assert "4.00" in panel.validation_label.text()
    assert "8.00" in panel.test_label.text()
    assert panel.rule_label.text()
    picker = panel.open_trial_picker()
    assert picker is not None
    plot_helper.holds_replies = True
    plot.follow(make_subject(20, 1, 2))
    assert panel.validation_label.text() == tr(HelperPlot.waiting_message)
    assert panel.test_label.text() == panel.rule_label.text() == ""
    assert not picker.isVisible(), "its trials are those of the previous run"
    plot_helper.release()
    assert "the search's ensemble" in panel.validation_label.text()
    panel.clear()
    assert panel.validation_label.text() == "", "no run"


def test_headline_stays_until_next_reply(
    plot: MembershipPlot, panel: WhatIfPanel, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    panel.toggle(panel.table.records[0].number)
    before = panel.validation_label.text()
    plot_helper.holds_replies = True
    plot.follow(make_subject(20, 12))
    assert panel.validation_label.text() == before


def test_what_if_list_is_kept_after_error(panel: WhatIfPanel, plot_helper: Any) -> None:
    plot_helper.reason = "Rows differ."
    panel.toggle(panel.table.records[0].number)
    assert panel.validation_label.text() == "Rows differ."
    assert panel.table.rowCount() == 5


def test_list_shows_test_errors_and_contributions(panel: WhatIfPanel) -> None:
    texts = [
        panel.table.data(panel.table.index(0, column))
        for column in (OWN_TEST_COLUMN, CONTRIBUTION_COLUMN)
    ]
    assert texts[0] != UNKNOWN_TEXT
    assert all(isinstance(text, str) for text in texts)


def test_narrow_plot_replaces_raster_by_list(plot: MembershipPlot) -> None:
    assert plot.canvas.isVisible()
    plot.resize(560, 400)
    assert not plot.canvas.isVisible()
    assert plot.what_if.isVisible()
    plot.what_if_chip.click()
    assert plot.canvas.isVisible()
    assert not plot.what_if.isVisible()


def test_members_are_named_at_every_width(plot: MembershipPlot, panel: WhatIfPanel) -> None:
    metrics = panel.view.fontMetrics()
    names = [
        each.text(record) for each in panel.table.columns[:1] for record in panel.table.records
    ]
    assert len({*names}) == panel.table.rowCount()
    assert all(name.partition(" · ")[2] for name in names), "number and kind of model"
    for width in (1000, 560, 390):
        plot.resize(width, 500)
        column_width = panel.view.columnWidth(TRIAL_COLUMN)
        assert max(map(metrics.horizontalAdvance, names)) < column_width <= panel.view.width()
        header = panel.view.horizontalHeader()
        assert header.length() <= panel.view.viewport().width(), "no column is cut"
        assert not panel.view.isColumnHidden(CONTRIBUTION_COLUMN)
    assert panel.view.isColumnHidden(OWN_TEST_COLUMN)
    plot.resize(1400, 500)
    assert not panel.view.isColumnHidden(OWN_TEST_COLUMN)


def test_hidden_columns_stay_hidden_after_replies(
    plot: MembershipPlot, panel: WhatIfPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel.table, "_format_value", lambda _: "–")  # narrower than the header
    columns = range(panel.table.columnCount())
    for width in range(390, 700, 10):
        plot.resize(width, 500)
        hidden = []
        for _ in range(3):
            panel.view.fit_columns()
            hidden.append([*map(panel.view.isColumnHidden, columns)])
        assert hidden[0] == hidden[1] == hidden[2]


@pytest.mark.parametrize("width", [390, 1000])
def test_edit_does_not_scroll_list(plot: MembershipPlot, panel: WhatIfPanel, width: int) -> None:
    plot.resize(width, 500)
    QApplication.processEvents()
    before = panel.view.geometry()
    panel.toggle(panel.table.records[0].number)
    QApplication.processEvents()
    assert panel.back_button.isVisible()
    assert panel.view.geometry() == before


def test_percentages_stay_on_one_line(panel: WhatIfPanel) -> None:
    panel.toggle(panel.table.records[0].number)
    assert f"4.00{NON_BREAKING_SPACE}%" in panel.validation_label.text()
    assert "may be" in panel.test_label.text(), "without an interval"
