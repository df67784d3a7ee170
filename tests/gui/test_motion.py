"""Animations, and their absence with reduced motion."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base import motion, preferences
from studio.gui.base.preferences import REDUCED_MOTION, Preferences
from studio.gui.widgets import kit
from studio.gui.widgets.messages import Toast


@pytest.fixture
def toast(qtbot: QtBot) -> Iterator[Toast]:
    page = QWidget()
    qtbot.addWidget(page)
    inside = kit.label("page")
    kit.column(inside, parent=page)
    page.resize(600, 300)
    page.show()
    yield Toast(inside)


@pytest.mark.slow
def test_message_fades_in(toast: Toast, qtbot: QtBot) -> None:
    assert motion.get_duration(toast) == motion.MILLISECONDS
    toast.show_message("Saved.")
    assert toast.graphicsEffect() is not None
    toast.show_message("Saved again.")  # while the first is still fading in
    qtbot.waitUntil(lambda: toast.graphicsEffect() is None)
    toast.show_message("And again.")
    assert toast.graphicsEffect() is None, "it is there already"


def test_message_appears_immediately_with_reduced_motion(toast: Toast) -> None:
    preferences.save(Preferences(motion=REDUCED_MOTION))
    assert motion.get_duration(toast) == 0
    toast.show_message("Saved.")
    assert toast.graphicsEffect() is None
