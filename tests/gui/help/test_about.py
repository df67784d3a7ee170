"""The About dialog: versions, folders, and copying them."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from studio.gui.base import user_paths
from studio.gui.shell.help.about import AboutDialog, list_folders
from studio.libraries import list_libraries
from studio.version import VERSION


def test_about_dialog_copies_versions_and_folders_without_user_name(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    home = user_paths.ensure_untitled_folder().parent
    monkeypatch.setattr(Path, "home", lambda: home)
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied == dialog.text.toPlainText()
    assert copied.startswith(f"Ensemble Studio {VERSION}\nPython ")
    for each in list_libraries():
        assert f"{each.name} {each.version} (" in copied
    assert str(home) not in copied and "New documents: ~" in copied
    assert all(title in copied for title in list_folders())
    assert dialog.outcome_label.text()
