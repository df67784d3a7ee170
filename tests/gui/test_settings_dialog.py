"""The settings dialog: changes take effect at once."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QPushButton,
    QScrollArea,
    QSpinBox,
)
from pytestqt.qtbot import QtBot

from studio import language
from studio.gui.base import preferences, theme
from studio.gui.base.localisation import set_languages
from studio.gui.base.preferences import Preferences, get_appearance
from studio.gui.shell.settings_dialog import SettingsDialog


@pytest.fixture
def dialog(qtbot: QtBot, qapp: QApplication) -> SettingsDialog:
    get_appearance().apply()
    settings_dialog = SettingsDialog()
    qtbot.addWidget(settings_dialog)
    settings_dialog.show()
    return settings_dialog


def choose(field: QComboBox, data: str) -> None:
    at = field.findData(data)
    assert at >= 0
    field.setCurrentIndex(at)
    field.activated.emit(at)


def test_settings_dialog_shows_preferences(qtbot: QtBot) -> None:
    preferences.save(Preferences(look="dark", workers=3, leaving="stop", reopen=False))
    settings_dialog = SettingsDialog()
    qtbot.addWidget(settings_dialog)
    assert settings_dialog.fields["look"].currentData() == "dark"
    assert settings_dialog.fields["workers"].value() == 3
    assert settings_dialog.fields["leaving"].currentData() == "stop"
    assert not settings_dialog.fields["reopen"].isChecked()
    assert settings_dialog.fields["presentation_scale"].value() == 140


@pytest.mark.slow
def test_settings_dialog_applies_changes_immediately(dialog: SettingsDialog, qtbot: QtBot) -> None:
    choose(dialog.fields["look"], "dark")
    assert theme.current() is theme.DARK
    dialog.fields["type_scale"].setValue(120)
    assert theme.scale() == pytest.approx(1.2)
    dialog.fields["presentation_scale"].setValue(180)
    dialog.fields["workers"].setValue(5)
    choose(dialog.fields["leaving"], "pause")
    dialog.fields["reopen"].setFocus()
    qtbot.keyClick(dialog.fields["reopen"], Qt.Key.Key_Space)
    stored_preferences = preferences.load()
    assert stored_preferences == Preferences("system", "dark", 1.2, 1.8, 5, "", False, "pause")


def test_shipped_languages_are_listed_by_native_names(dialog: SettingsDialog) -> None:
    language_choice = dialog.fields["language"]
    codes = [language_choice.itemData(index) for index in range(language_choice.count())]
    assert codes == ["system", *language.list_languages()]
    assert language_choice.itemText(1) == "English"


@pytest.mark.parametrize("size", [(880, 464), (1366, 720), (2000, 2000)])
@pytest.mark.parametrize("scale", [1.0, 1.6])
def test_settings_dialog_scrolls_on_small_screen(
    dialog: SettingsDialog, qtbot: QtBot, size: tuple[int, int], scale: float
) -> None:
    preferences.save(Preferences(type_scale=scale))
    get_appearance().apply()
    QApplication.processEvents()  # it adjusts to the screen
    dialog.fit(QSize(*size))
    QApplication.processEvents()
    assert dialog.width() <= size[0] and dialog.height() <= size[1]
    close = dialog.findChildren(QPushButton)[-1]
    assert close.isDefault()
    assert dialog.rect().contains(QRect(close.mapTo(dialog, QPoint()), close.size()))
    (area,) = dialog.findChildren(QScrollArea)
    if size == (2000, 2000):
        assert area.verticalScrollBar().maximum() == 0
    box = dialog.fields["leaving"]
    assert isinstance(box, QComboBox)
    position, middle = box.currentIndex(), QPointF(box.rect().center())
    down, no = QPoint(0, -120), Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        middle, box.mapToGlobal(middle), QPoint(), down, Qt.MouseButton.NoButton, no,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(box, event)
    assert box.currentIndex() == position
    assert not event.isAccepted(), "the area gets it"
    last = dialog.fields["reopen"]
    area.ensureWidgetVisible(last)
    QApplication.processEvents()
    assert not last.visibleRegion().isEmpty()
    assert area.horizontalScrollBar().maximum() == 0


def test_unwritable_folder_is_rejected(
    dialog: SettingsDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.set_folder(str(tmp_path))
    assert preferences.load().folder == str(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    dialog.set_folder(str(tmp_path.parent))
    assert "not writable" in dialog.folder_label.text()
    assert preferences.load().folder == str(tmp_path)
    monkeypatch.undo()
    dialog.set_folder("")
    assert preferences.load().folder == ""


def test_preference_fields_have_names_and_tooltips(dialog: SettingsDialog) -> None:
    fields = [*dialog.findChildren(QComboBox), *dialog.findChildren(QSpinBox)]
    buttons = dialog.findChildren(QAbstractButton)
    assert len(fields) == 8
    for each in (*fields, *buttons):
        assert each.accessibleName() and each.toolTip(), each


@pytest.mark.slow
@pytest.mark.parametrize("language_code", ["en", "fr"])
def test_open_settings_dialog_fits_much_larger_text(
    qtbot: QtBot, qapp: QApplication, language_code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    available = QRect(0, 0, 1366, 728)
    screen = SimpleNamespace(availableGeometry=lambda: available)
    monkeypatch.setattr(SettingsDialog, "screen", lambda _: screen)
    set_languages(language_code)
    dialog = SettingsDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.move(383, 80)  # in the middle
    field = dialog.fields["type_scale"]
    try:
        field.setValue(200)
        qtbot.waitUntil(lambda: theme.scale() == 2.0)
        for _ in range(5):
            QApplication.processEvents()
        assert available.contains(dialog.geometry())
        (area,) = dialog.findChildren(QScrollArea)
        assert area.horizontalScrollBar().maximum() == 0
        controls = [*dialog.findChildren(QAbstractButton), *dialog.findChildren(QComboBox)]
        for each in controls:
            if each.isVisible():
                assert each.height() >= each.minimumSizeHint().height(), each.accessibleName()
                assert each.width() >= each.minimumSizeHint().width(), each.accessibleName()
                parent = each.parentWidget()
                assert parent is not None
                assert parent.rect().contains(each.geometry()), each.accessibleName()
    finally:
        field.setValue(100)
        set_languages(language.ENGLISH)
