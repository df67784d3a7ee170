"""No part of the window flashes as a separate window during construction."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.data.samples import list_recordings
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.shell.frame.page_list import PAGES
from studio.gui.shell.window import MainWindow

pytestmark = pytest.mark.slow


class ShownWindowRecorder(QObject):
    """Records every shown window, also short-lived ones."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Record the class of a window when it is shown."""
        is_show_event = event.type() == QEvent.Type.Show
        if is_show_event and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(type(watched).__name__)
        return False


@pytest.fixture
def shown_window_recorder(qapp: QApplication) -> Iterator[ShownWindowRecorder]:
    recorder = ShownWindowRecorder()
    qapp.installEventFilter(recorder)
    yield recorder
    qapp.removeEventFilter(recorder)


def test_pages_and_plots_open_no_unintended_windows(
    shown_window_recorder: ShownWindowRecorder, helper: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    window = MainWindow(helper=helper)
    qtbot.addWidget(window)
    window.show()
    document = tmp_path / "recorded.studio"
    shutil.copyfile(list_recordings()[0].path, document)
    window.session.open(document)
    for key, *_ in PAGES:
        window.show_page(key)
    window.show_page("live")
    live = window.get_page_widget("live")
    for plot in REGISTRY:
        live.get_plot(plot.key)  # type: ignore[attr-defined]
    assert shown_window_recorder.seen == ["MainWindow"]
    window.session.close()
