"""Painting of figures."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from studio.figures.figure import Axis, Figure, LineEnd, Panel
from studio.figures.ink import MUTED, make_series_ink
from studio.figures.ink import TEXT as INK
from studio.figures.marks import (
    CellMatrix,
    Dots,
    Heatmap,
    LegendItem,
    Line,
    Mark,
    Rule,
    WordMarks,
    are_finite,
)
from studio.gui.base import theme
from studio.gui.plots.painting.axes import CanvasAxes, compute_tick_room, elide_tick
from studio.gui.plots.painting.canvas import NumberAxis, apply_ranges, make_canvas, spread_positions
from studio.gui.plots.painting.items import LineItem, make_pen
from studio.gui.plots.painting.legend import Legend, LegendEntry
from studio.gui.plots.painting.painter import Painter, make_legend_entries
from studio.gui.plots.painting.scale import LegendWithScale, ScaleBar
from tests.gui.visible_content import get_scene_position

ONE = Panel(x=Axis(high=10.0), y=Axis(high=10.0))


@pytest.fixture
def canvas(qtbot: Any) -> Any:
    plot_canvas = make_canvas()
    qtbot.addWidget(plot_canvas)
    plot_canvas.resize(600, 300)
    plot_canvas.show()
    return plot_canvas


def painted(canvas: Any, panels: list[Panel], *marks: Mark) -> Painter:
    painter = Painter(canvas)
    show(painter, canvas, Figure(panels, marks))
    return painter


def show(painter: Painter, canvas: Any, figure: Figure) -> None:
    painter.paint(figure)
    apply_ranges(canvas)
    QApplication.processEvents()


def is_background(canvas: Any, where: QPointF) -> bool:
    """Return whether a position shows the background only."""
    picture, at = canvas.grab().toImage(), canvas.mapFromScene(where)
    return bool(picture.pixelColor(at) == picture.pixelColor(1, 1))


def test_wheel_zooms_out_to_figure_at_most(canvas: Any) -> None:
    label = WordMarks(x=np.array([9.5]), y=np.array([5.0]), texts=["the last trial"], ink=INK)
    zoomable = replace(ONE, is_zoomable=True)
    painter = painted(canvas, [zoomable], label)
    box = canvas.ci.getItem(0, 0).getViewBox()
    full_range = box.viewRange()
    assert full_range[0][1] > 10.0, "with the text beyond the end"

    def scale(factor: float) -> list[list[float]]:
        box.scaleBy((factor, factor), QPointF(4.0, 4.0))  # as the wheel does
        apply_ranges(canvas)
        return [list(each) for each in box.viewRange()]

    assert np.ptp(scale(0.5)[0]) < np.ptp(full_range[0]) > np.ptp(scale(0.5)[0])
    for _ in range(10):
        scale(1.7)
    assert np.allclose(box.viewRange(), full_range)
    longer = replace(zoomable, x=replace(zoomable.x, high=20.0))
    show(painter, canvas, Figure([longer], [label]))
    assert np.allclose(box.viewRange(), [[0.0, 20.0], [0.0, 10.0]])


@pytest.mark.slow
@pytest.mark.parametrize("zoomable", [True, False])
@pytest.mark.parametrize("labelled", [0, 1])
def test_text_beyond_end_keeps_column_aligned(canvas: Any, zoomable: bool, labelled: int) -> None:
    label = WordMarks(
        x=np.array([9.5]), y=np.array([5.0]), texts=["the last trial"], ink=INK, panel=labelled
    )
    upper = replace(ONE, is_zoomable=zoomable)
    beside = replace(ONE, column=1, is_zoomable=zoomable)
    figure = Figure([upper, replace(upper, row=1), beside], [label])
    painter = painted(canvas, [*figure.panels], label)
    boxes = [canvas.ci.getItem(*cell).getViewBox() for cell in ((0, 0), (1, 0), (0, 1))]
    for size in ((600, 300), (440, 320)):
        canvas.resize(*size)
        show(painter, canvas, figure)
        ranges = [box.viewRange()[0] for box in boxes]
        assert ranges[labelled][1] > 10.0, "with the text beyond the end"
        assert np.allclose(ranges[0], ranges[1])
        assert np.allclose(ranges[2], [0.0, 10.0]), "another column has no such text"
        areas = [box.sceneBoundingRect() for box in boxes]
        assert (areas[0].left(), areas[0].right()) == (areas[1].left(), areas[1].right())
    show(painter, canvas, Figure(figure.panels, []))
    assert all(np.allclose(box.viewRange()[0], [0.0, 10.0]) for box in boxes)


def test_reference_line_without_position_is_hidden(canvas: Any) -> None:
    rule = Rule(position=float("nan"), weight="thick", dashed=False)
    bare = replace(ONE, x=replace(ONE.x, has_grid=False), y=replace(ONE.y, has_grid=False))
    painter = painted(canvas, [bare], rule)
    middle = get_scene_position(canvas, 5.0, 4.3)
    assert is_background(canvas, middle)
    show(painter, canvas, Figure([bare], [replace(rule, position=5.0)]))
    assert not is_background(canvas, get_scene_position(canvas, 5.0, 4.3))


@pytest.mark.slow
def test_collapsed_column_frees_its_width(canvas: Any) -> None:
    beside = replace(ONE, y=replace(ONE.y, is_visible=False), column=1, fixed_width=100)
    painter = painted(canvas, [ONE, beside])

    def across(panel: int) -> float:
        return (
            get_scene_position(canvas, 10.0, 0.0, panel).x()
            - get_scene_position(canvas, 0.0, 0.0, panel).x()
        )

    narrow = across(0)
    assert across(1) == pytest.approx(100, abs=2)
    show(painter, canvas, Figure([ONE], []))
    assert across(0) > narrow + 90
    show(painter, canvas, Figure([ONE, beside], []))
    canvas.resize(120, canvas.height())
    QApplication.processEvents()
    show(painter, canvas, Figure([ONE], []))
    assert canvas.ci.geometry().width() == canvas.width()


def test_non_finite_points_are_skipped(canvas: Any) -> None:
    dots = Dots(x=np.array([1.0, np.nan, 3.0]), y=np.array([1.0, 2.0, np.inf]), size=np.arange(3.0))
    assert are_finite(dots.x, dots.y).tolist() == [True, False, False]
    assert painted(canvas, [ONE], dots).map_to_figure(QPointF(-5.0, -5.0)) is None


def test_cell_row_can_have_one_colour(canvas: Any) -> None:
    alphas = np.array([[0.0, 1.0]])
    cells = CellMatrix(
        ink_indices=np.array([[0]]), alphas=alphas, inks=[Dots.ink], width=10.0, height=10.0
    )
    bare = replace(ONE, x=replace(ONE.x, has_grid=False), y=replace(ONE.y, has_grid=False))
    painted(canvas, [bare], cells)
    is_ground = [is_background(canvas, get_scene_position(canvas, x, 4.3)) for x in (2.5, 7.5)]
    assert is_ground == [True, False]


def test_wide_colour_scale_moves_below_legend(qtbot: Any) -> None:
    legend, scale = Legend(), ScaleBar()
    row = LegendWithScale(legend, scale)
    qtbot.addWidget(row)
    scale.show_scale("a name that is much too long for so small a row", "0", "1")
    legend.show_entries(
        make_legend_entries([LegendItem(ink=MUTED, name="on test rows", sample="band")])
    )
    row.resize(200, 30)
    row.show()
    QApplication.processEvents()
    assert scale.y() >= legend.geometry().bottom()
    assert scale.width() > 100
    row.resize(2000, 30)
    QApplication.processEvents()
    assert scale.sizeHint().width() <= scale.width() < 1000
    assert scale.y() == legend.y()


def test_lines_are_thicker_in_presentation_mode(qapp: QApplication) -> None:
    assert make_pen(INK, "hair").widthF() == 1.0
    theme.apply(qapp, theme.LIGHT, 1.5)
    assert make_pen(INK, "hair").widthF() == 1.5


def test_axis_title_space_is_kept_after_resize(canvas: Any, qapp: QApplication) -> None:
    long = replace(ONE, y=replace(ONE.y, label="a name much longer than its axis"))
    canvas.resize(600, 190)
    painter = painted(canvas, [long])
    rows = canvas.ci.items
    (axes,) = rows
    before = axes.layout.rowMaximumHeight(0)
    assert before > 0
    for scale in (1.4, 1.0):
        theme.apply(qapp, theme.LIGHT, scale)
        show(painter, canvas, Figure([long], ()))
        assert axes.layout.rowMaximumHeight(0) > 0
    assert axes.layout.rowMaximumHeight(0) == before


def test_axis_title_layout_converges(canvas: Any) -> None:
    panel = replace(ONE, y=replace(ONE.y, label="a name of medium length"))
    painter = painted(canvas, [panel])
    (axes,) = painter._axes
    placements = []
    for _ in range(16):
        # Like labels below that need two lines while the axis label is beside the axis.
        axes.set_bottom_height(190.0 if axes._labels.is_left_label_beside_axis else 30.0)
        apply_ranges(canvas)
        QApplication.processEvents()
        placements.append(axes._labels.is_left_label_beside_axis)
    assert len(set(placements)) == 2, "its place follows the height of the axis"
    assert len(set(placements[-8:])) == 1, "it does not oscillate"


@pytest.mark.parametrize(("filled", "whole"), [(False, True), (True, False)])
def test_edge_symbols_are_not_clipped(qtbot: Any, filled: bool, whole: bool) -> None:
    ends = np.array([0.0, 1.0])
    marks: list[Mark] = [Dots(x=ends, y=ends, size=10)]
    if filled:
        marks.append(Heatmap(values=np.array([[0.5]])))
    canvas = make_canvas()
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    canvas.show()
    painter = Painter(canvas)
    painter.paint(Figure(panels=[Panel(x=Axis(), y=Axis())], marks=marks))
    box = painter._axes[0].item.getViewBox()
    (left_edge, right), (low, high) = box.viewRange()
    dx, dy = box.viewPixelSize()
    spare = min(-left_edge / dx, (right - 1) / dx, -low / dy, (high - 1) / dy)
    assert (spare >= 5) is whole


@pytest.mark.parametrize(
    ("low", "high", "most"),
    [
        (0.0, 7.0, 2),
        (0.97611, 0.97649, 4),
        (0.1271, 0.1279, 4),
        (187.0, 187.8, 4),
        (54_321.0, 54_329.0, 5),
    ],
)
def test_axis_numbers_have_few_digits(
    qapp: QApplication, low: float, high: float, most: int
) -> None:
    axis = NumberAxis("left")
    axis.setRange(low, high)
    (step, _), *_ = axis.tickSpacing(low, high, 1000)
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    labels = axis.tickStrings(ticks, 1.0, step)
    assert len(labels) >= 2
    assert max(sum(map(str.isdigit, text.lstrip("0."))) for text in labels) == most


def test_dash_pattern_spans_many_points(qtbot: Any) -> None:
    canvas = make_canvas()
    qtbot.addWidget(canvas)
    line_item = LineItem(canvas.addPlot())
    x = np.linspace(0.0, 1.0, 500)
    line_item.show(Line(x=x, y=x, dashed=True))
    curve, _ = line_item.items
    assert curve.opts["segmentedLineMode"] == "off"


def test_equal_matrix_cells_are_separated(canvas: Any) -> None:
    heat = Heatmap(values=np.ones((1, 2)), width=10.0, height=10.0, texts=[["1", "1"]])
    painted(canvas, [ONE], heat)
    picture = canvas.grab().toImage()
    row = canvas.mapFromScene(get_scene_position(canvas, 5.0, 8.0))
    colours = [picture.pixelColor(row.x() + k, row.y()).name() for k in range(-3, 4)]
    assert len(set(colours)) > 1, "a line"
    assert colours[0] == colours[-1], "equal cells beside it"


def test_texts_of_large_cells_are_large(canvas: Any) -> None:
    def text_height(cells: int) -> int:
        texts = [["8"] * cells] * cells
        heat = Heatmap(values=np.ones((cells, cells)), width=10.0, height=10.0, texts=texts)
        painted(canvas, [ONE], heat)
        picture = canvas.grab().toImage()
        start, end = (
            canvas.mapFromScene(get_scene_position(canvas, *at))
            for at in ((0, 10 / cells), (10, 0))
        )
        rows = range(start.y() + 2, end.y() - 2)
        width = (end.x() - start.x()) // cells
        columns = range(start.x() + 2, start.x() + width - 2)
        background = picture.pixelColor(columns[0], rows[0])
        inked = [y for y in rows if any(picture.pixelColor(x, y) != background for x in columns)]
        return inked[-1] - inked[0] + 1

    assert text_height(2) > 1.5 * text_height(10)


def test_legend_elides_wide_names_and_counts_hidden_ones(qtbot: Any) -> None:
    legend = Legend()
    qtbot.addWidget(legend)
    names = ["A name that is wider than its row", "Second", "Third"]
    legend.show_entries([LegendEntry(name, "square", make_series_ink(0)) for name in names])
    legend.limit_rows(1)
    for width in (60, 110, 160, 280, 330):
        legend.resize(width, 20)
        *visible_names, count = legend.list_texts()
        assert count == f"+ {len(names) - len(visible_names)}"
        right = sum(24 + legend.fontMetrics().horizontalAdvance(each) for each in visible_names)
        right += 16 * len(visible_names) + legend.fontMetrics().horizontalAdvance(count)
        assert right <= width or visible_names[0] in ("…", ""), width
    legend.resize(900, 20)
    assert legend.list_texts() == names and legend.is_complete


def test_legend_with_sufficient_height_elides_no_name(qtbot: Any) -> None:
    legend = Legend()
    qtbot.addWidget(legend)
    names = ["the ensemble, on average", "rows with such values"]
    legend.show_entries([LegendEntry(name, "square", make_series_ink(0)) for name in names])
    for width in range(180, 400):
        legend.resize(width, 20)
        assert legend.list_texts() == names, width


def test_label_width_shrinks_with_other_curves(canvas: Any) -> None:
    painter = Painter(canvas)

    def width(*texts: str) -> float:
        ends = [LineEnd(0.5, text, make_series_ink(0)) for text in texts]
        show(painter, canvas, Figure([replace(ONE, end_labels=ends)], []))
        (axes,) = canvas.ci.items
        return float(axes.getAxis("right").width())

    narrow = width("a 1.0 %")
    wide = width("a long name 1.0 %", "a 1.0 %")
    assert wide > narrow
    assert width("a long name 10.0 %", "a 1.0 %") > wide
    assert width("a long name 1.0 %", "a 1.0 %") > wide, "one digit less does not move it"
    assert width("a 1.0 %") == narrow
    painter.reserve_label_width(300)
    assert width("a 1.0 %") > 300
    painter.reserve_label_width(0)
    assert width("a 1.0 %") == narrow


@pytest.mark.parametrize("side", ["left", "bottom"])
@pytest.mark.parametrize("size", [45.0, 70.0, 141.0, 400.0])
@pytest.mark.parametrize(
    ("low", "high", "top", "whole"),
    [(0.3, 7.5, 6.3, False), (-0.4, 5.4, math.inf, False), (0.5, 14.5, math.inf, True),
     (3190.0, 3260.0, math.inf, False), (0.011, 0.0191, 0.0184, False), (0.5, 2.5, 2.5, True)],
)  # fmt: skip
def test_axis_has_two_numbers_if_they_fit(
    qapp: QApplication, side: str, size: float, low: float, high: float, top: float, whole: bool
) -> None:
    axis = NumberAxis(side)
    axis.has_integers, axis.max_tick = whole, top
    axis.setRange(low, high)
    if side == "bottom" and size < 141.0:
        return  # four digits need more space
    (step, values), *_ = axis.tickValues(low, high, size)
    metrics = QFontMetricsF(theme.font(theme.SMALL))
    texts = axis.tickStrings(values, 1.0, step)
    half = [
        metrics.height() / 2 if side == "left" else metrics.horizontalAdvance(each) / 2
        for each in texts
    ]
    pixels = [(value - low) / (high - low) * size for value in values]
    label_positions = [p for p, h in zip(pixels, half, strict=True) if h <= p <= size - h]
    assert len(label_positions) >= 2, (values, pixels)
    assert all(b - a >= metrics.height() for a, b in pairwise(label_positions))


def test_overlapping_labels_are_separated() -> None:
    assert spread_positions([10.0, 50.0], 20, 8, 92) == [10.0, 50.0]
    assert spread_positions([10.0, 12.0, 14.0], 20, 8, 92) == [10.0, 30.0, 50.0]
    assert spread_positions([1.0, 88.0, 91.0], 20, 8, 92) == [8.0, 72.0, 92.0]


def test_tick_beside_short_ones_is_not_elided(qtbot: Any) -> None:
    def measure(text: str) -> int:
        return QFontMetricsF(theme.font(theme.SMALL)).horizontalAdvance(text)

    available = int(measure("RBF SVM")) - 6
    assert elide_tick("RBF SVM", available) != "RBF SVM"
    for texts, expected in (
        (("Tree", "RBF SVM", "Forest"), "RBF SVM"),
        (("RBF SVM", "Tree"), "RBF SVM"),
        (("RBF SVM", "RBF SVM", "RBF SVM"), elide_tick("RBF SVM", available)),
    ):
        room = compute_tick_room(texts, available, 1)
        drawn = [elide_tick(*pair) for pair in zip(texts, room, strict=True)]
        assert expected in drawn
        for one, other in pairwise(drawn):
            assert (measure(one) + measure(other)) / 2 <= available + 1, "none touches the next"
    staggered = ("RBF SVM", "Tree", "RBF SVM", "Tree")
    assert compute_tick_room(staggered, available, 2)[0] == available, "its row has another"


def test_staggered_ticks_between_wide_margins_do_not_overlap(canvas: Any) -> None:
    names = ("algorithm", "learning_rate (log)", "min_child_samples (log)", "reg_lambda (log)")
    ticks = [(float(index), name) for index, name in enumerate(names * 2)]
    axis = Axis(low=-3.0, high=10.0, ticks=ticks, tick_overlap="cut", has_grid=False)
    axes = CanvasAxes(canvas, Panel(x=axis, y=Axis(high=1.0)))
    axes.item.getViewBox().setFixedWidth(360)
    QApplication.processEvents()
    pixel = axes.item.getViewBox().width() / 13.0
    placed = axes._make_bottom_ticks(axis, 3) or ()
    assert len(placed) > 3
    metrics = QFontMetricsF(theme.font(theme.SMALL))
    for rows in range(3):
        in_row = [each for each in placed if each[1].count("\n") == rows]
        for one, other in pairwise(in_row):
            widths = [metrics.horizontalAdvance(text.strip()) for _, text in (one, other)]
            assert sum(widths) / 2 <= (other[0] - one[0]) * pixel
