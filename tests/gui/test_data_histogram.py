"""Histograms of columns: drawing and description of bars."""

from typing import Any

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.data.distribution import Distribution
from studio.gui.base import theme
from studio.gui.pages.data.histogram import HistogramView, describe_bar, summarise_distribution


def found(counts: list[int], **values: Any) -> Distribution:
    return Distribution(tuple(counts), **values)


def test_histogram_bars_have_descriptions() -> None:
    assert describe_bar(found([3], labels=("a",), n_other=2), 0) == "“a”: 3 rows"
    assert describe_bar(found([1, 4], edges=(0.5, 2.5)), 1) == "2: 4 rows"
    tails = found([1, 4, 2], edges=(0.0, 3.0), n_below=1, n_above=1)
    assert describe_bar(tails, 0) == "≤ 1: 1 row"
    assert describe_bar(tails, 1) == "From 1 to 2: 4 rows"
    assert describe_bar(tails, 2) == "≥ 2: 2 rows"
    assert summarise_distribution(found([])) == "No values"
    assert summarise_distribution(found([3, 2, 1, 1], labels=tuple("abcd"))).endswith("and others")


def _hover(view: HistogramView, at: QPointF) -> None:
    """Send a mouse move; QTest would send it to the front window."""
    none = Qt.MouseButton.NoButton
    kind, modifiers = QEvent.Type.MouseMove, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(view, QMouseEvent(kind, at, view.mapToGlobal(at), none, none, modifiers))


def test_histogram_draws_and_describes_values(qtbot: QtBot) -> None:
    view = HistogramView()
    qtbot.addWidget(view)
    view.show_distribution(found([30, 10], labels=("yes", "no")), "target")
    view.resize(300, view.height())
    assert view.isVisibleTo(view.parentWidget())
    picture = view.grab().toImage()
    background = QColor(picture.pixel(0, 0))
    assert any(
        QColor(picture.pixel(x, picture.height() // 4)) != background
        for x in range(picture.width())
    )
    _hover(view, QPointF(100, 5))
    assert view.toolTip() == "“yes”: 30 rows"
    view.show_distribution(found([1, 2], edges=(0.0, 1.0)))
    _hover(view, QPointF(290, 5))
    assert view.toolTip() == "From 0.5 to 1: 2 rows"
    theme.apply(theme.QApplication.instance(), theme.DARK)  # type: ignore[arg-type]
    assert not view.grab().isNull()
    view.show_distribution(None)
    assert view.isHidden()
