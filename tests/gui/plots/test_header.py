"""The header of a plot: the title is not cut, and choosers shrink before wrapping."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

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
