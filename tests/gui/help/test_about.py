"""The About dialog: versions, folders, and copying them."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from studio.gui.base import user_paths
from studio.gui.shell.help.about import AboutDialog
from studio.libraries import list_libraries
from studio.version import VERSION


@pytest.fixture
def dialog(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AboutDialog:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    new_dialog = AboutDialog()
    qtbot.addWidget(new_dialog)
    new_dialog.show()
    return new_dialog


def test_about_dialog_shows_version_and_folders(dialog: AboutDialog) -> None:
    label_texts = [each.text() for each in dialog.findChildren(QLabel)]
    assert f"Ensemble Studio {VERSION}" in label_texts
    assert str(user_paths.ensure_untitled_folder()) in label_texts


def test_copied_about_text_omits_user_name(
    dialog: AboutDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = user_paths.ensure_untitled_folder().parent
    monkeypatch.setattr(Path, "home", lambda: home)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(f"Ensemble Studio {VERSION}\nPython ")
    for each in list_libraries():
        assert f"{each.name} {each.version} (" in copied
    assert str(home) not in copied
    assert "New documents: ~" in copied
    assert dialog.copied_label.text()


def test_about_dialog_opens_folder(
    dialog: AboutDialog, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    for button in dialog.findChildren(QPushButton):
        if button.property("kind") == "link":
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert len(opened) == 4
    assert all(Path(each.toLocalFile()).is_dir() for each in opened)
