"""Actions offered after a run: another run, or its result."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.document.trials import Iteration
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.run.page import RunPage
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.trial import Trial

pytestmark = pytest.mark.slow

Open = Callable[[str, int], MainWindow]


@pytest.fixture
def open_run(helper: Any, qtbot: QtBot, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens a window with a run in a state, with a number of trials."""
    windows: list[MainWindow] = []

    def open_window(state: str, n_trials: int) -> MainWindow:
        path = tmp_path / f"{state}-{n_trials}.studio"
        with Document.create(path) as document:
            run = document.runs.add("EO-sqm", {"method": "EO-sqm", "metric": "error", "budget": 9})
            for number in range(1, n_trials + 1):
                trial = Trial(number, {"algorithm": "knn"}, 0, 0.1)
                now = Iteration(number, 1, 0.1, None, 0.1, None, ((1, 1.0),))
                document.trials.add(run, trial, None, None, now)
            document.runs.set_state(run, state)
        window = MainWindow(Session(), helper)
        qtbot.addWidget(window)
        window.resize(1200, 760)
        window.show()
        window.session.open(path)
        window.show_page("live")
        windows.append(window)
        return window

    yield open_window
    for window in windows:
        window.session.close()


@pytest.mark.parametrize(("n_trials", "offered"), [(0, False), (1, True)])
def test_result_is_offered_if_model_exists(open_run: Open, n_trials: int, offered: bool) -> None:
    window = open_run("stopped", n_trials)
    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    QApplication.processEvents()
    assert page.bar.result_button.isVisible() is offered


def test_new_run_shows_settings_without_starting(open_run: Open, qtbot: QtBot) -> None:
    window = open_run("paused", 1)
    started: list[bool] = []
    window.top_bar.run_pressed.connect(lambda: started.append(True))
    for first in ("live", "run"):
        window.show_page(first)
        if first == "run":
            page = window.get_page_widget("run")
            assert isinstance(page, RunPage)
            page.tabs.setCurrentIndex(1)
        qtbot.mouseClick(window.top_bar.new_button, Qt.MouseButton.LeftButton)
        assert window.page == "run"
        page = window.get_page_widget("run")
        assert isinstance(page, RunPage)
        assert page.stack.currentWidget() is page.form
        assert page.form.start_card.start_button.isVisible()
    assert not started and len(window.session.runs.views) == 1
