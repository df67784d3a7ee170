"""Messages in the top bar."""

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.gui.widgets.messages import Toast


def test_toast_closes_on_outside_click(qtbot: QtBot) -> None:
    page, presses = QWidget(), []
    button = QPushButton("elsewhere")
    button.clicked.connect(lambda: presses.append("elsewhere"))
    QVBoxLayout(page).addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
    page.resize(800, 400)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    toast.show_message("The new document is kept here.", "Show", lambda: presses.append("shown"))
    qtbot.mouseClick(toast.text_label, Qt.MouseButton.LeftButton)
    assert toast.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not toast.isVisible()
    assert presses == ["elsewhere"]
    toast.show_message("Reading…", is_persistent=True)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert toast.isVisible()


def test_toast_covers_bar_only(qtbot: QtBot) -> None:
    window, page, bar, spacer = QWidget(), QStackedWidget(), QWidget(), QWidget()
    bar.setFixedHeight(56)
    row = QHBoxLayout(bar)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(QPushButton("Run"))
    row.addWidget(spacer, 1)
    column = QVBoxLayout(window)
    column.addWidget(bar)
    column.addWidget(page, 1)
    window.resize(800, 400)
    qtbot.addWidget(window)
    toast = Toast(spacer)
    window.show()
    toast.show_message("Saved.")
    page.setCurrentIndex(page.addWidget(QWidget()))
    of_place = QRect(spacer.mapTo(window, QPoint()), spacer.size())
    assert of_place.contains(toast.geometry())
    assert window.childAt(toast.geometry().center()) in {toast, *toast.findChildren(QWidget)}
    window.resize(400, 400)
    QApplication.processEvents()
    of_place = QRect(spacer.mapTo(window, QPoint()), spacer.size())
    assert toast.geometry().right() == of_place.right(), "it stays at the right"


def test_toast_without_bar_is_at_bottom(qtbot: QtBot) -> None:
    window, bar = QWidget(), QWidget(fixedHeight=56)
    QVBoxLayout(window).addWidget(bar, 0, Qt.AlignmentFlag.AlignTop)
    window.resize(800, 400)
    qtbot.addWidget(window)
    toast = Toast(bar)
    window.show()
    bar.hide()
    toast.show_message("Esc leaves it.")
    assert toast.geometry().top() > 300
    window.resize(900, 600)  # as in full screen
    QApplication.processEvents()
    assert toast.geometry().top() > 500 and window.rect().contains(toast.geometry())


def test_persistent_toast_remains_after_hover(qtbot: QtBot) -> None:
    page = QWidget()
    page.resize(800, 400)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    going = toast.findChild(QTimer)
    toast.show_message("Saved.")
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert going.isActive()
    toast.show_message("Reading…", is_persistent=True)
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert not going.isActive()
    toast.dismiss()
    assert toast.isVisible()


def test_toast_with_action_closes_on_click_only(qtbot: QtBot) -> None:
    page = QWidget()
    page.resize(800, 400)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    going = toast.findChild(QTimer)
    toast.show_message("A run has finished.", waits_for_input=True)
    assert not going.isActive()
    qtbot.mouseClick(page, Qt.MouseButton.LeftButton)
    assert not toast.isVisible()


def test_toast_width_fits_text(qtbot: QtBot) -> None:
    page = QWidget()
    page.resize(1200, 700)
    qtbot.addWidget(page)
    toast = Toast(page)
    page.show()
    toast.show_message("“RS” has finished.", "See the result", lambda: None)
    assert toast.width() < 450
    needed = toast.text_label.heightForWidth(toast.text_label.width())
    assert needed < 2 * toast.text_label.fontMetrics().height(), "in one line"


def test_long_toast_is_at_bottom_without_moving_the_page(qtbot: QtBot) -> None:
    window, bar, page = QWidget(), QWidget(fixedHeight=56), QWidget()
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(bar)
    column.addWidget(page, 1)
    window.resize(440, 400)
    qtbot.addWidget(window)
    toast, rooms = Toast(bar), []
    toast.room_requested.connect(rooms.append)
    window.show()
    toast.show_message("The new document is saved as " + 12 * "folder/", "Show in folder", print)
    assert toast.geometry().top() > 200 and window.rect().contains(toast.geometry())
    assert not any(rooms), "nothing moves under the pointer"
    bar.hide()
    toast.show_message("Esc leaves it.")
    assert rooms[-1] > toast.height()
