"""The hover label beside the mouse pointer."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.painting.hover import compute_label_position
from studio.gui.plots.quality.progress import HeadlinePlot, ProgressPlot
from tests.gui.visible_content import get_scene_position, iter_visible

pytestmark = pytest.mark.slow

VIEW = QRect(0, 0, 600, 260)


@pytest.mark.parametrize("x", [0, 150, 300, 450, 599])
@pytest.mark.parametrize("y", [0, 60, 130, 200, 259])
@pytest.mark.parametrize("size", [QSize(120, 40), QSize(340, 110), QSize(340, 200)])
def test_hover_label_avoids_point(x: int, y: int, size: QSize) -> None:
    rect = QRect(compute_label_position(QPoint(x, y), size, VIEW), size)
    assert VIEW.contains(rect)
    if size.height() < VIEW.height() - 60 or size.width() < VIEW.width() / 2 - 20:
        assert not rect.contains(QPoint(x, y))


@pytest.fixture
def plot(plot_helper: Any, qtbot: Any, make_subject: Callable[..., Subject]) -> ProgressPlot:
    progress_plot = ProgressPlot(plot_helper)
    qtbot.addWidget(progress_plot)
    progress_plot.resize(600, 300)
    progress_plot.show()
    progress_plot.follow(make_subject(20))
    QApplication.processEvents()
    return progress_plot


def _point_at(plot: ProgressPlot, iteration: float) -> QPoint:
    """Move the mouse to an iteration at half the height; return its position."""
    assert plot.current_figure is not None
    side = plot.current_figure.panels[0].y
    loss = (side.low + side.high) / 2
    position: QPoint = plot.canvas.mapFromScene(get_scene_position(plot.canvas, iteration, loss))
    QTest.mouseMove(plot.canvas.viewport(), QPoint(1, 1))  # the pointer may already be there
    QTest.qWait(20)  # pyqtgraph limits mouse moves to a hundred per second
    QTest.mouseMove(plot.canvas.viewport(), position)
    QApplication.processEvents()
    return position


def _labels(plot: ProgressPlot) -> list[QLabel]:
    return [each for each in iter_visible(plot, QLabel) if each.property("role") == "hover"]


def test_hover_label_has_one_line_per_value(plot: ProgressPlot) -> None:
    assert _labels(plot) == []
    at = _point_at(plot, 7.0)
    (label,) = _labels(plot)
    lines = label.text().split("\n")
    assert lines[0] == "iteration 7"
    assert any(line.startswith("ensemble ") for line in lines)
    assert plot.rect().contains(label.geometry())
    assert not label.geometry().contains(plot.canvas.viewport().mapTo(plot, at))
    lines_drawn = [
        each for each in plot.canvas.viewport().findChildren(QWidget) if each.isVisible()
    ]
    assert sorted(min(each.width(), each.height()) for each in lines_drawn) == [1, 1]


def test_hover_text_follows_redraws(
    plot: ProgressPlot, make_subject: Callable[..., Subject]
) -> None:
    _point_at(plot, 7.0)
    plot.follow(make_subject(20, 5))
    assert _labels(plot) == []  # later iterations are not described
    plot.follow(make_subject(21))
    # More iterations share the same width, minus that of the names at the right.
    under = plot.painter.map_to_figure(plot._hover._position)
    now = f"iteration {round(under.x)}"
    assert [each.text().split("\n")[0] for each in _labels(plot)] == [now]
    assert now in ("iteration 6", "iteration 7", "iteration 8")


def test_hover_text_does_not_return_without_pointer(
    plot: ProgressPlot, make_subject: Callable[..., Subject]
) -> None:
    _point_at(plot, 7.0)
    assert _labels(plot) != []
    plot.canvas.viewport().setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    plot.follow(make_subject(21))
    assert _labels(plot) == []


def test_hover_text_is_cleared_outside_and_in_exports(plot: ProgressPlot) -> None:
    _point_at(plot, 7.0)
    plot.copy_picture()
    assert _labels(plot) == []
    _point_at(plot, 7.0)
    assert plot.describe_item_at(QPointF(-50, -50)) == ""
    QTest.qWait(20)
    QTest.mouseMove(plot.canvas.viewport(), QPoint(2, 2))
    QApplication.processEvents()
    assert _labels(plot) == []
    assert plot.read_out.startswith("iteration 20")


def test_simple_plot_omits_reasons_of_trials(
    plot_helper: Any, qtbot: Any, make_subject: Callable[..., Subject]
) -> None:
    subject = make_subject(20)
    origin = "gain for the ensemble per second"
    trials = list(subject.series.trials)
    trials[6] = replace(trials[6], origin=origin)
    subject.series.trials[:] = trials
    for hover_plot, is_described in (
        (HeadlinePlot(plot_helper), False),
        (ProgressPlot(plot_helper), True),
    ):
        qtbot.addWidget(hover_plot)
        hover_plot.resize(600, 300)
        hover_plot.show()
        hover_plot.follow(subject)
        QApplication.processEvents()
        assert hover_plot.current_figure is not None
        assert hover_plot.current_figure.panels[0].x.label == "iteration (trials)"
        _point_at(hover_plot, 7.0)
        (label,) = _labels(hover_plot)
        assert label.text().split("\n")[0] == "iteration 7"
        assert (origin in label.text()) is is_described
        hover_plot.hide()
