"""Every test of the window has its own settings and folders, and the theme of a fresh start."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from studio.document.runs import RunRow
from studio.gui import places, theme
from studio.gui.run_view import RunView

ViewMaker = Callable[..., RunView]


@pytest.fixture(autouse=True)
def own_settings(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Keep what a test remembers away from the user's own."""
    qapp.setOrganizationName("ensemble-studio-tests")
    qapp.setApplicationName("tests")
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "ini"))
    folder = tmp_path / "untitled"
    folder.mkdir()
    monkeypatch.setattr(places, "untitled_folder", lambda: folder)
    theme.apply(qapp, theme.LIGHT)
    yield
    QSettings().clear()


@pytest.fixture
def make_view() -> ViewMaker:
    """Return a maker of runs as the window knows them, without a document."""

    def make(**values: Any) -> RunView:
        row = {
            "id": 1,
            "name": "EO-sqm",
            "settings": {"method": "EO-sqm", "budget": 200, "metric": "error"},
            "table_id": 1,
            "prepared": True,
            "created": 0.0,
            "state": "running",
            "message": "",
            "result": None,
            "owner": None,
            "heartbeat": 0.0,
        }
        return RunView(RunRow(**{**row, **values}))

    return make
