"""Every test of the window has its own settings and folders, and the theme of a fresh start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from studio.gui import places, theme


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
