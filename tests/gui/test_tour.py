"""The guided tour: its steps, its place, and the settings of its run."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base.theme import MIN_WINDOW_SIZE
from studio.gui.drafts.run_draft import DEFAULT_SECONDS
from studio.gui.pages.data.page import DataPage
from studio.gui.session.session import Session
from studio.gui.shell.tour import STEPS
from studio.gui.shell.window import MainWindow
from studio.language import tr

pytestmark = pytest.mark.slow


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    main_window = MainWindow(Session(), helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.resize(1280, 800)
    main_window.show()
    main_window.activateWindow()
    return main_window


def map_to(window: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint()), widget.size())


def test_tour_highlights_targets_until_escape(window: MainWindow, qtbot: QtBot) -> None:
    tour = window.tour
    assert tour.isHidden()
    tour.start()
    page = window.get_page_widget("data")
    assert isinstance(page, DataPage)
    assert tour.isVisible()
    table = page.tables
    framed = lambda: QRect(table.mapTo(window, QPoint()), table.size())  # noqa: E731
    qtbot.waitUntil(lambda: tour.spotlight.geometry().contains(framed() & window.rect()))
    window.resize(1100, 700)
    assert window.rect().contains(tour.geometry())
    page.setFocus()  # wherever the focus is
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert tour.isHidden()
    assert tour.spotlight.isHidden()


def test_tour_advances_by_enter_and_waits_for_run(window: MainWindow, qtbot: QtBot) -> None:
    tour = window.tour
    tour.start()
    qtbot.waitUntil(lambda: window.data.is_ready)
    run = next(number for number, step in enumerate(STEPS, 1) if step.page != "data") - 1
    for number in range(2, run + 1):
        qtbot.keyClick(tour.next_button, Qt.Key.Key_Return)
        assert tour.number == number
    assert not tour.next_button.isEnabled()
    assert window.focusWidget() is window.top_bar.run_button, "Enter performs the requested action"
    draft = window.run.draft
    assert draft.budget == 8 and (draft.seconds or 0) > 300, "trials, not time, end it"
    document = window.session.document
    assert document is not None
    run_id = document.runs.add("mine", {"method": "RS", "budget": 9})
    qtbot.waitUntil(lambda: tour.number == run + 1)
    window.session.run_selection.choose_run(run_id)
    for number in range(run + 1, len(STEPS) + 1):
        assert tour.number == number, "the user is reading"
        window.session.runs.changed.emit()
        assert window.focusWidget() is tour.next_button
        qtbot.keyClick(tour.next_button, Qt.Key.Key_Return)
    assert tour.isHidden()
    tour.show_step(run)
    assert tour.next_button.isEnabled(), "there is a run"


def test_tour_keeps_focus_until_run_is_possible(window: MainWindow, qtbot: QtBot) -> None:
    tour, run_button = window.tour, window.top_bar.run_button
    tour.start()
    qtbot.waitUntil(lambda: window.data.is_ready)
    tour.show_step(2)
    run_button.setEnabled(False)
    assert not tour.next_button.isEnabled()
    focused = window.focusWidget()
    assert focused is not None and focused.isEnabled() and tour.isAncestorOf(focused)
    run_button.setEnabled(True)
    assert window.focusWidget() is run_button
    for number in range(1, len(STEPS) + 1):
        tour.show_step(number)
        place = tr("Step {number} of {all}", number=number, all=len(STEPS))
        assert tour.accessibleName().startswith(place), "for screen readers"


@pytest.mark.parametrize("size", [(1366, 768), (911, 512), MIN_WINDOW_SIZE])
def test_tour_strip_covers_nothing_in_any_window(
    window: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    tour = window.tour
    window.resize(*size)
    tour.start()
    document = window.session.document
    assert document is not None
    run_id = document.runs.add("mine", {"method": "RS", "budget": 9})
    qtbot.waitUntil(lambda: run_id in window.session.runs.ids and window.data.is_ready)
    window.session.run_selection.choose_run(run_id)
    for number in range(1, len(STEPS) + 1):
        tour.show_step(number)
        for _ in range(4):
            QApplication.processEvents()
        page = window.get_page_widget(window.page)
        strip, framed = map_to(window, tour), tour.spotlight.geometry().adjusted(4, 4, -4, -4)
        assert window.rect().contains(strip)
        for widget in (page, window.rail, window.top_bar, window.slider):
            assert not (widget.isVisible() and strip.intersects(map_to(window, widget)))
        assert tour.spotlight.isVisible() == tour.target.isVisible()
        assert not (tour.target.isVisible() and strip.intersects(framed))


def test_tour_ends_when_document_closes(window: MainWindow) -> None:
    window.tour.start()
    window.documents.close()
    assert window.tour.isHidden()


def get_limits(window: MainWindow) -> tuple[object, ...]:
    run, data = window.run.draft, window.data.draft
    return run.budget, run.seconds, run.refit, data.plan.folds, data.advised


def test_settings_of_tour_end_with_it(window: MainWindow) -> None:
    usual = get_limits(window)
    window.tour.start()
    assert get_limits(window) == (8, 600.0, False, None, False), "one training per trial"
    assert window.run.history.undo_text == window.data.history.undo_text == ""
    window.tour.show_step(2)
    assert get_limits(window) != usual
    window.tour.show_step(0)
    assert get_limits(window) == usual
    assert window.run.history.undo_text == window.data.history.undo_text == ""


def test_settings_of_tour_are_not_kept_in_closed_document(window: MainWindow) -> None:
    usual = get_limits(window)
    window.tour.start()
    path = window.session.path
    assert path is not None
    window.session.close()
    window.session.open(path)
    assert get_limits(window) == usual


def test_own_choices_during_tour_stay(window: MainWindow) -> None:
    window.tour.start()
    window.run.change(budget=30)
    window.run.change(metric="log-loss")
    window.tour.show_step(0)
    assert (window.run.draft.budget, window.run.draft.metric) == (30, "log-loss")
    assert window.run.draft.seconds == DEFAULT_SECONDS
    window.run.history.undo()
    window.run.history.undo()
    assert (window.run.draft.budget, window.run.draft.seconds) == (None, DEFAULT_SECONDS)


def test_own_split_during_tour_stays_as_chosen(window: MainWindow) -> None:
    window.tour.start()
    own = replace(window.data.draft.plan, train=0.5, test=0.3)
    window.data.change(plan=own, advised=False)
    window.tour.show_step(0)
    assert (window.data.draft.plan, window.data.draft.advised) == (own, False)


def test_tour_started_twice_keeps_usual_settings(window: MainWindow) -> None:
    usual = get_limits(window)
    window.tour.start()
    window.tour.start()
    window.tour.show_step(0)
    assert get_limits(window) == usual
