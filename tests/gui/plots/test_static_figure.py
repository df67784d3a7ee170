"""Figures beside text."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QFrame
from pytestqt.qtbot import QtBot

from studio.figures.figure import Axis, Figure, Panel
from studio.gui.base import theme
from studio.gui.plots.base.static_figure import StaticFigure
from studio.gui.widgets import kit

FIGURE = Figure([Panel(Axis(), Axis(), fixed_width=200), Panel(Axis(), Axis(), column=1)], [])
"""The width of its first panel grows with the font size, which replaces the axes of both."""


@pytest.fixture
def card(qtbot: QtBot) -> Iterator[QFrame]:
    figure = StaticFigure()
    figure_card = kit.make_card(figure)  # the border set by the style sheet resizes the figure
    qtbot.addWidget(figure_card)
    figure_card.resize(700, 400)
    figure.show_figure(FIGURE, "A figure")
    figure_card.show()
    QApplication.processEvents()
    yield figure_card
    figure_card.hide()


def get_axes(card: QFrame) -> list[Any]:
    (figure,) = card.findChildren(StaticFigure)
    return list(figure.canvas.ci.items)


def test_axes_are_not_deleted_during_style_sheet_change(
    card: QFrame, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    axes = get_axes(card)  # keeps them alive, as deletion would crash the process
    axes_after_sheet: list[Any] = []
    set_sheet = card.setStyleSheet

    def set_sheet_and_note(sheet: str) -> None:
        set_sheet(sheet)
        axes_after_sheet.append(get_axes(card))

    monkeypatch.setattr(card, "setStyleSheet", set_sheet_and_note)
    theme.apply(qapp, theme.LIGHT, 1.4)
    assert axes_after_sheet and all(each == axes for each in axes_after_sheet)
    assert not set(axes) & set(get_axes(card)), "replaced afterwards"


def test_figure_is_redrawn_after_resize(
    card: QFrame, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (figure,) = card.findChildren(StaticFigure)
    drawn_widths: list[int] = []
    paint = figure._painter.paint

    def note_width(shown: Figure) -> None:
        drawn_widths.append(figure.canvas.width())
        paint(shown)

    monkeypatch.setattr(figure._painter, "paint", note_width)
    card.resize(1000, 400)
    assert not drawn_widths, "not within the event"
    qtbot.waitUntil(lambda: drawn_widths == [figure.canvas.width()])
    assert figure.canvas.width() > 900


@pytest.mark.slow
def test_square_panel_follows_height_or_fills_width(qtbot: Any) -> None:
    figure = StaticFigure()
    qtbot.addWidget(figure)
    figure.resize(500, 450)
    figure.show()
    figure.show_figure(
        Figure([Panel(Axis("x"), Axis("y"), square=True, fills_width=True)], []), "square"
    )
    sizes = ((500, 450), (900, 300), (500, 400), (900, 120), (900, 700))
    for (width, height), is_square in zip(sizes, (True, False, True, False, True), strict=True):
        figure.resize(width, height)
        QApplication.processEvents()
        figure._redraw()
        (axes,) = figure.canvas.ci.items
        box = axes.getViewBox()
        if is_square:
            assert box.width() == pytest.approx(box.height(), abs=6)
        else:
            assert box.width() > 0.85 * width, "no empty half beside it"
