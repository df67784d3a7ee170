"""Messages in the window that confirm actions."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from studio.gui.pages.live.page import LivePage
from studio.gui.pages.results.page import ResultsPage
from studio.gui.session.session import Session
from studio.gui.shell.tour import STEPS
from studio.gui.shell.window import MainWindow
from tests.gui.test_results_page import RESULT, add_run

pytestmark = pytest.mark.slow


@pytest.fixture
def window(session: Session, helper: Any, qtbot: QtBot) -> MainWindow:
    run = add_run(session)
    session.document.runs.set_result(run, RESULT)
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    main_window = MainWindow(session, helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.resize(1400, 900)
    main_window.show()
    return main_window


def test_plot_export_is_confirmed(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_page("live")
    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    export_path = str(tmp_path / "a.csv")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (export_path, ""))
    page.plot_export.save(page.get_plot("progress"), "csv")
    assert window.toast.isVisible()
    assert window.toast.text_label.text() == "Saved a.csv."
    page.plot_export.copy(page.get_plot("progress"))
    assert "copied" in window.toast.text_label.text()


def test_last_tour_step_shows_result(window: MainWindow, qtbot: QtBot) -> None:
    card = window.tour
    card.show_step(1)
    window.show_page("results")
    page = window.get_page_widget("results")
    assert isinstance(page, ResultsPage)
    page.views.open("why")
    card.show_step(len(STEPS))
    assert card.spotlight.isVisible()
    corner, size = page.views.mapTo(window, QPoint()), page.views.size()
    qtbot.waitUntil(lambda: card.spotlight.geometry().contains(QRect(corner, size)))
