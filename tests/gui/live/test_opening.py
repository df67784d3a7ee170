"""Plots opened and closed one after the other: their arrangement does not depend on the pace."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QTabBar

from studio.gui.base import theme
from studio.gui.pages.live.bar import INITIAL_PLOTS, LiveBar
from studio.gui.pages.live.dock import Dock
from studio.gui.pages.live.docks import DockArea
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.plot import HelperPlot, Plot
from studio.gui.shell.window import MainWindow
from studio.language import tr
from tests.facts import contains_facts
from tests.gui.visible_content import get_visible_text, iter_visible

pytestmark = pytest.mark.slow

PAUSES = (-1, 0, 60, 300)
"""Milliseconds between two clicks; −1: not even the event loop runs."""

CLOSED = [plot.key for plot in REGISTRY if plot.key not in INITIAL_PLOTS]


def click_through(
    qtbot: Any, size: tuple[int, int], keys: Sequence[str], pause: int, own: bool = False
) -> DockArea:
    """Return an area after clicks in the list of plots, with one plot moved by hand if ``own``."""
    QSettings().clear()  # possibly stored by another area
    bar, area = LiveBar(REGISTRY), DockArea(REGISTRY, INITIAL_PLOTS)
    bar.plot_toggled.connect(area.open)
    area.changed.connect(lambda: bar.show_open(area.open_keys, area.enlarged_key))
    timer = QTimer(area, interval=250, singleShot=True)  # as on the page
    timer.timeout.connect(area.rearrange)
    area.available_size_changed.connect(timer.start)
    for widget in (bar, area):
        qtbot.addWidget(widget)
    area.resize(*size)
    area.show()
    bar.show()
    QTest.qWait(10)
    if own:
        area.splitDockWidget(
            area.docks["progress"], area.docks["diversity"], Qt.Orientation.Vertical
        )
        QTest.qWait(10)
    panel = bar.open_panel()
    for key in keys:
        box = panel.boxes[key]
        qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
        if pause >= 0:
            QTest.qWait(pause)
    panel.close()
    QTest.qWait(10)
    bar.close()
    qtbot.waitUntil(lambda: not timer.isActive())
    QTest.qWait(10)
    return area


def describe(area: DockArea) -> dict[str, tuple[Any, set[str]]]:
    return {
        key: (
            area.docks[key].geometry().getRect(),
            {dock.objectName() for dock in area.tabifiedDockWidgets(area.docks[key])},
        )
        for key in area.visible_keys
    }


def check_fills(area: DockArea) -> None:
    """Check that the visible docks neither overlap nor leave holes."""
    places = [area.docks[key].geometry() for key in area.visible_keys]
    assert not any(a.intersects(b) for i, a in enumerate(places) for b in places[i + 1 :])
    contents_rect = area.contentsRect()
    covered = sum(rect.width() * rect.height() for rect in places)
    assert covered >= 0.9 * contents_rect.width() * contents_rect.height()


@pytest.mark.parametrize("size", [(1221, 595), (1776, 900)])
@pytest.mark.parametrize("own", [False, True])
def test_pace_of_clicks_does_not_change_arrangement(
    qtbot: Any, size: tuple[int, int], own: bool
) -> None:
    keys = [*CLOSED, "slice", "errors", "slice"]
    areas = [click_through(qtbot, size, keys, pause, own) for pause in PAUSES]
    for area in areas:
        check_fills(area)
    if own:
        for area in areas:
            upper, lower = (area.docks[key].geometry() for key in ("progress", "diversity"))
            assert upper.left() == lower.left()
            assert upper.bottom() < lower.top(), "as placed by hand"
    first, *others = [describe(area) for area in areas]
    for other in others:
        assert other == first


@pytest.mark.parametrize("plot_class", REGISTRY)
def test_card_has_title_in_every_frame(qtbot: Any, helper: Any, plot_class: type[Plot]) -> None:
    QSettings().clear()
    area = DockArea(REGISTRY, [plot_class.key])
    qtbot.addWidget(area)
    area.resize(700, 500)
    area.show()
    QApplication.processEvents()
    dock, title = area.docks[plot_class.key], tr(plot_class.title)

    def get_title_places() -> list[QPoint]:
        labels = [each for each in iter_visible(dock, QLabel) if each.text() == title]
        return [each.mapTo(dock, each.rect().topLeft()) for each in labels]

    places = get_title_places()
    assert len(places) == 1
    assert contains_facts(get_visible_text(dock), tr(HelperPlot.waiting_message))
    dock.set_plot(plot_class(helper))
    assert get_title_places() == places, "before the next frame, and where it was"


def test_front_tab_is_kept(qtbot: Any) -> None:
    area = click_through(qtbot, (1221, 595), CLOSED, -1)
    behind = next(key for key in area.open_keys if key not in area.visible_keys)
    area.docks[behind].raise_()
    area.open(next(key for key in area.open_keys if key not in area.visible_keys), False)
    QTest.qWait(10)
    assert behind in area.visible_keys


def list_columns(area: DockArea) -> list[set[str]]:
    """Return the plots of each place, in the order of the places."""
    groups = {
        (dock.x(), dock.y()): {key, *(each.key for each in area.tabifiedDockWidgets(dock))}
        for key, dock in area.docks.items()
        if key in area.visible_keys
    }
    return [groups[position] & {*area.open_keys} for position in sorted(groups)]


def test_remaining_plots_are_distributed_evenly(qtbot: Any) -> None:
    area = click_through(qtbot, (1221, 595), CLOSED, -1)
    columns = list_columns(area)
    assert len(columns) == 3
    for closed in sorted(columns[1]):
        area.open(closed, False)
        QTest.qWait(10)
        counts = list(map(len, list_columns(area)))
        assert max(counts) - min(counts) <= 1
        check_fills(area)


def test_press_on_margin_is_no_move_by_hand(qtbot: Any) -> None:
    areas = [click_through(qtbot, (1221, 595), keys, -1) for keys in ((), CLOSED)]
    qtbot.mouseClick(areas[0], Qt.MouseButton.LeftButton, pos=QPoint(2, 100))
    for key in CLOSED:
        areas[0].open(key)
    QTest.qWait(300)
    counts = [sorted(len(docks) for _, docks in describe(area).values()) for area in areas]
    assert counts[0] == counts[1]


def test_arrangement_of_larger_window_has_minimum_sizes(qtbot: Any) -> None:
    stored = click_through(qtbot, (1776, 900), CLOSED[:3], -1)
    stored.save()
    restored = DockArea(REGISTRY, INITIAL_PLOTS)
    qtbot.addWidget(restored)
    restored.resize(900, 450)
    restored.show()
    QTest.qWait(10)
    restored.rearrange()
    QTest.qWait(10)
    assert {*restored.open_keys} == {*stored.open_keys}
    assert len(restored.visible_keys) < len(stored.visible_keys)


def test_many_plots_are_distributed_evenly(qtbot: Any) -> None:
    area = click_through(qtbot, (1221, 595), CLOSED, -1)
    counts = [1 + len(docks) for _, docks in describe(area).values()]
    assert sum(counts) == len(REGISTRY)
    assert max(counts) - min(counts) <= 1


def test_tabs_of_many_plots_have_whole_names(qtbot: Any, qapp: QApplication) -> None:
    area = click_through(qtbot, (1221, 595), CLOSED, -1)
    bars = [bar for bar in area.findChildren(QTabBar) if bar.isVisible() and bar.count()]
    assert len(bars) == 3
    for bar in bars:
        for tab in range(bar.count()):
            name = bar.fontMetrics().horizontalAdvance(bar.tabText(tab))
            assert bar.tabRect(tab).width() >= name


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_plot_list_is_not_cut_at_any_font_size(
    qtbot: Any, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    screen = SimpleNamespace(availableGeometry=lambda: QRect(0, 0, 1366, 728))
    monkeypatch.setattr(LiveBar, "screen", lambda _: screen)
    theme.apply(qapp, theme.LIGHT, scale)
    try:
        bar = LiveBar(REGISTRY)
        qtbot.addWidget(bar)
        bar.show()
        panel = bar.open_panel()
        QApplication.processEvents()
        assert panel.width() <= 1366 and panel.height() <= 728
        (area,) = panel.findChildren(QScrollArea)
        assert area.widget().width() <= area.viewport().width()
        for box in panel.boxes.values():
            assert box.width() >= box.sizeHint().width()
        panel.close()
    finally:
        theme.apply(qapp, theme.LIGHT)


@pytest.mark.slow
def test_plots_returning_together_are_arranged_one_after_the_other(
    recorded_window: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = recorded_window.get_page_widget("live")
    assert isinstance(page, LivePage)
    qtbot.mouseClick(page.bar.expert_chip, Qt.MouseButton.LeftButton)
    area, keys = page.area, ("slice", "diversity")
    area.reset()
    qtbot.waitUntil(lambda: {*keys} <= {*area.open_keys})
    page.scheduler.stop()
    with monkeypatch.context() as without_run:
        without_run.setattr(page._subjects, "get_current", lambda: None)
        for key in keys:  # as for a run of one model without a surrogate
            area.set_hidden_while_empty(key, True)
        area._arrange_docked()
    shown, nested = [], []
    show_dock = DockArea._show_dock

    def record(self: DockArea, dock: Dock, visible: bool) -> None:
        if shown and shown[-1] != "done":
            nested.append(dock.key)  # Qt would crash
            return
        shown.append(dock.key)
        show_dock(self, dock, visible)
        shown.append("done")

    monkeypatch.setattr(DockArea, "_show_dock", record)
    recorded_window.resize(880, 540)  # the event loop has yet to run
    page.schedule_redraw()
    assert not nested and {*shown} == {*keys, "done"}
    assert {*keys} <= {*area.open_keys}
