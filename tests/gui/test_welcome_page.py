"""The Welcome page as the window shows it."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QScrollArea

from studio.gui.base import user_paths
from studio.gui.shell.window import MainWindow


@pytest.mark.slow
def test_empty_document_shows_tables_and_samples_first(
    qtbot: Any, helper: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_paths, "find_untitled_path", lambda _: tmp_path / "new.studio")
    window = MainWindow(helper=helper)
    qtbot.addWidget(window, before_close_func=lambda _: window.session.close())
    window.resize(907, 468)  # a screen of 1366 × 768 at 150 %
    window.show()
    (area,) = window.welcome.findChildren(QScrollArea)
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert bar.value() == 0
    bar.setValue(bar.maximum())
    window.documents.create()
    assert window.session.is_open and window.page == "welcome"
    window.show_page("data")
    bar.setValue(bar.maximum())
    window.show_page("welcome")
    assert bar.value() == 0, "a page begins at its top"
