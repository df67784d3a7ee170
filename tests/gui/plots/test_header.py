"""The header of a plot: the title is not cut, and choosers shrink before wrapping."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base.preferences import get_appearance
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.header import Header

Lay = Callable[[int], tuple[bool, int]]
"""Gives the header a width: whether chooser and title are in one row, and the chooser's width."""


@pytest.fixture
def lay_out(qtbot: QtBot) -> Lay:
    host = QWidget()
    qtbot.addWidget(host)
    header = Header("Membership", "", "What it shows.", "")
    header.setParent(host)
    chooser = Chooser("View", "")
    chooser.set_choices([(name, name) for name in ("As they joined", "By their trial numbers")])
    header.controls.addWidget(chooser)
    header.controls.addWidget(QPushButton("What if"))
    host.show()

    def lay_out(width: int) -> tuple[bool, int]:
        header.setGeometry(0, 0, width, 80)
        for _ in range(2):  # moving to another row triggers a second layout
            QApplication.processEvents()
        name = header.name_label
        assert name.width() >= name.fontMetrics().horizontalAdvance(name.text()), "it is whole"
        top = chooser.mapTo(host, chooser.rect().topLeft()).y()
        return top < name.geometry().bottom(), chooser.width()

    return lay_out


def test_selectors_shrink_before_wrapping(lay_out: Lay) -> None:
    beside, full_width = lay_out(700)
    assert beside
    layouts = [lay_out(width) for width in range(600, 240, -10)]
    narrowed = [width for beside, width in layouts if beside and width < full_width]
    assert narrowed, "there are widths at which it is narrower, and beside the title"
    below = [width for beside, width in layouts if not beside]
    assert below, "and widths at which it has a separate row"
    assert below[0] == full_width, "where it is as wide as before"
    assert lay_out(700) == (True, full_width)


@pytest.mark.parametrize(("scale", "repetitions"), [(1.0, 1), (2.0, 8), (3.0, 20)])
def test_explanation_is_whole_in_full_screen(scale: float, repetitions: int, qtbot: QtBot) -> None:
    text = "\n".join(["A curve of what the search expects along one hyperparameter."] * repetitions)
    header = Header("Surrogate", "What it shows.", text, "a paper")
    qtbot.addWidget(header)
    header.show()
    try:
        get_appearance().enlarge(scale)
        panel = header.explain()
        QApplication.processEvents()
        screen = panel.screen().availableGeometry()
        assert screen.contains(panel.geometry())
        assert panel.width() == 400 if scale == 1.0 else panel.width() > 400
        labels = panel.findChildren(QLabel)
        for label in labels:
            assert label.height() >= label.heightForWidth(label.width())
        (area,) = panel.findChildren(QScrollArea)
        viewport, bar = area.viewport(), area.verticalScrollBar()
        if repetitions > 10:
            assert bar.maximum() > 0
            qtbot.keyClick(panel, Qt.Key.Key_Down)
            assert bar.value() > 0
            for _ in range(50):
                QApplication.sendEvent(viewport, make_wheel_event(viewport, -120))
        else:
            assert bar.maximum() == 0
        end = labels[-1].mapTo(viewport, labels[-1].rect().bottomRight())
        assert viewport.rect().contains(end)
        panel.close()
    finally:
        get_appearance().enlarge(1.0)


def make_wheel_event(widget: QWidget, angle: int) -> QWheelEvent:
    """Return a turn of the wheel over the middle of a widget."""
    centre = QPointF(widget.rect().center())
    return QWheelEvent(
        centre,
        widget.mapToGlobal(centre),
        QPoint(),
        QPoint(0, angle),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
