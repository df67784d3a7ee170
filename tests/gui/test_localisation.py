"""The preferred language overrides the system's, and determines number formats."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QDoubleSpinBox
from pytestqt.qtbot import QtBot

from studio import language
from studio.gui.base import localisation, preferences
from studio.gui.base.preferences import Preferences


@pytest.fixture(autouse=True)
def english_again(qapp: QApplication) -> Iterator[None]:
    before = QLocale()
    yield
    localisation.apply_language("en")
    QLocale.setDefault(before)


def test_preferred_language_overrides_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "list_languages", lambda: ("en", "fr"))
    monkeypatch.setattr(QLocale, "uiLanguages", lambda _: ["tr-TR", "fr-CA", "en"])
    assert localisation.get_preferred_language() == "fr"
    preferences.save(Preferences(language="en"))
    assert localisation.get_preferred_language() == "en"


@pytest.mark.parametrize("system", ["de_DE", "tr_TR", "C", "ar_EG"])
def test_number_format_follows_language_not_system(qtbot: QtBot, system: str) -> None:
    QLocale.setDefault(QLocale(system))
    localisation.apply_language("en")
    field = QDoubleSpinBox()
    field.setMaximum(10_000)
    qtbot.addWidget(field)
    field.setValue(1234.5)
    assert field.text() == "1234.50"


def test_qt_translations_follow_language(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel() -> str:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        qtbot.addWidget(box)
        return box.buttons()[0].text().replace("&", "")

    monkeypatch.setattr(localisation, "set_languages", lambda code: None)
    monkeypatch.setattr(language, "get_language", lambda: "fr")
    localisation.apply_language("fr")
    assert cancel() == "Annuler"
    monkeypatch.setattr(language, "get_language", lambda: "en")
    localisation.apply_language("en")
    assert cancel() == "Cancel"
