"""The rail of pages."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from studio import language
from studio.gui.base import theme
from studio.gui.base.localisation import set_languages
from studio.gui.base.preferences import get_appearance
from studio.gui.shell.frame.frame import Rail


@pytest.mark.parametrize("language_code", ["en", "fr"])
def test_run_indicator_fits_beside_page_name(qtbot: QtBot, language_code: str) -> None:
    before = language.get_language()
    set_languages(language_code)
    try:
        rail = Rail()
    finally:
        set_languages(before)
    qtbot.addWidget(rail)
    rail.show()
    rail.set_live(True)
    rail.show_page("live")
    button = rail.get_button("live")
    assert button.text().endswith("●")
    bold = QFontMetrics(theme.font(theme.BODY, bold=True)).horizontalAdvance(button.text())
    assert bold + button.iconSize().width() <= button.width() - 2 * 12  # the style's margins


def test_run_indicator_fits_beside_icon(qtbot: QtBot) -> None:
    rail = Rail()
    qtbot.addWidget(rail)
    rail.show()
    rail.set_live(True)
    rail.collapse(True)
    button = rail.get_button("live")
    try:
        for presents in (False, True):
            get_appearance().set_presenting(presents)
            QApplication.processEvents()
            (dot,) = (each for each in button.findChildren(QLabel) if each.isVisible())
            assert button.text() == ""
            assert button.rect().contains(dot.geometry())
            assert dot.width() >= dot.sizeHint().width()
    finally:
        get_appearance().set_presenting(False)
    rail.set_live(False)
    assert not dot.isVisible()
