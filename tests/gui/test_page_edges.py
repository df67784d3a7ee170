"""The right edge of pages, with and without scrolling."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.widgets import kit


@pytest.mark.parametrize("height", [20, 2000], ids=["nothing to scroll", "much to scroll"])
def test_scrollable_column_ends_at_page_edge(height: int, qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT)
    inside, still, page = QWidget(), QWidget(), QWidget()
    inside.setMinimumHeight(height)
    still.setFixedHeight(20)
    kit.column(
        (kit.scroll_area(inside), 1),
        kit.row((still, 1), margin=(0, 0, kit.BAR, 0)),
        parent=page,
        margin=kit.SCROLLING_PAGE,
    )
    qtbot.addWidget(page)
    page.resize(600, 300)
    page.show()
    ends = {each.mapTo(page, QPoint(each.width(), 0)).x() for each in (inside, still)}
    _, _, right, _ = kit.PAGE
    assert ends == {page.width() - right}
