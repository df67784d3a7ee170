"""A sentence over the page."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.widgets.toast import Toast


def test_it_is_gone_at_a_press_elsewhere_which_is_not_lost(qtbot: QtBot) -> None:
    page, presses = QWidget(), []
    button = QPushButton("elsewhere")
    button.clicked.connect(lambda: presses.append("elsewhere"))
    QVBoxLayout(page).addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
    page.resize(800, 400)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    toast.say("The new document is kept here.", "Show", lambda: presses.append("shown"))
    qtbot.mouseClick(toast.text, Qt.MouseButton.LeftButton)
    assert toast.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not toast.isVisible()
    assert presses == ["elsewhere"]
    toast.say("Reading…", stay=True)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert toast.isVisible()
