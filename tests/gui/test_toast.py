"""A sentence over the page."""

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QPushButton, QStackedWidget, QVBoxLayout, QWidget
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


def test_it_floats_over_its_page_alone_and_above_all_that_the_page_shows(qtbot: QtBot) -> None:
    window, page, bar = QWidget(), QStackedWidget(), QWidget()
    bar.setFixedHeight(120)
    column = QVBoxLayout(window)
    column.addWidget(page, 1)
    column.addWidget(bar)
    window.resize(800, 400)
    qtbot.addWidget(window)
    toast = Toast(page)
    window.show()
    toast.say("Saved.")
    page.addWidget(QWidget())
    page.setCurrentIndex(page.addWidget(QWidget()))
    assert page.geometry().contains(toast.geometry())
    assert window.childAt(toast.geometry().center()) in {toast, *toast.findChildren(QWidget)}


def test_what_stays_also_stays_when_it_was_pointed_at(qtbot: QtBot) -> None:
    page = QWidget()
    page.resize(800, 400)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    going = toast.findChild(QTimer)
    toast.say("Saved.")
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert going.isActive()
    toast.say("Reading…", stay=True)
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert not going.isActive()
    toast.leave()
    assert toast.isVisible()


def test_what_waits_for_somebody_goes_at_a_press_but_not_by_itself(qtbot: QtBot) -> None:
    page = QWidget()
    page.resize(800, 400)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    going = toast.findChild(QTimer)
    toast.say("A run has finished.", wait=True)
    assert not going.isActive()
    qtbot.mouseClick(page, Qt.MouseButton.LeftButton)
    assert not toast.isVisible()


def test_it_is_no_wider_than_its_sentence_and_at_the_very_foot(qtbot: QtBot) -> None:
    page = QWidget()
    page.resize(1200, 700)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    toast.say("“RS” has finished.", "See the result", lambda: None)
    assert toast.width() < 450
    assert page.height() - toast.geometry().bottom() <= 8
    needed = toast.text.heightForWidth(toast.text.width())
    assert needed < 2 * toast.text.fontMetrics().height(), "in one line"
