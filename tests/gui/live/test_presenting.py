"""Presentation mode shows fewer and larger plots, depending on the page size."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

from studio.gui.base.preferences import get_appearance, load, save
from studio.gui.pages.live.bar import LiveBar
from studio.gui.pages.live.columns import SimpleView
from studio.gui.pages.live.docks import DockArea
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import kit

pytestmark = pytest.mark.slow

FOUR = ("progress", "slice", "membership", "diversity")


@pytest.fixture
def area(qtbot: Any, qapp: QApplication) -> Iterator[DockArea]:
    new_area = DockArea(REGISTRY, FOUR)
    qtbot.addWidget(new_area)
    new_area.resize(1200, 700)
    new_area.show()
    qapp.processEvents()
    yield new_area
    get_appearance().set_presenting(False)
    get_appearance().enlarge(1.0)


def test_plot_list_is_hidden_during_presentation(area: DockArea, qtbot: Any) -> None:
    bar = LiveBar(REGISTRY)
    qtbot.addWidget(bar)
    bar.show_plots_button(True)
    get_appearance().set_presenting(True)
    assert bar.plots_button.isHidden()
    get_appearance().set_presenting(False)
    assert not bar.plots_button.isHidden()


def test_full_screen_plot_does_not_change_arrangement(area: DockArea, qapp: QApplication) -> None:
    area.splitDockWidget(area.docks["progress"], area.docks["diversity"], Qt.Orientation.Vertical)
    qapp.processEvents()
    area.rearrange()
    places = {key: area.docks[key].geometry() for key in FOUR}
    get_appearance().enlarge(2.0)
    area.rearrange()
    qapp.processEvents()
    assert area.visible_keys == FOUR
    get_appearance().enlarge(1.0)
    area.rearrange()
    qapp.processEvents()
    assert {key: area.docks[key].geometry() for key in FOUR} == places


def test_presentation_shows_fewer_plots_temporarily(area: DockArea, qapp: QApplication) -> None:
    area.splitDockWidget(area.docks["progress"], area.docks["diversity"], Qt.Orientation.Vertical)
    qapp.processEvents()
    area.rearrange()
    places = {key: area.docks[key].geometry() for key in FOUR}
    get_appearance().set_presenting(True)
    qapp.processEvents()
    assert area.open_keys == FOUR  # the others are tabs
    assert area.visible_keys == ("progress",)
    area.resize(1900, 900)
    area.rearrange()
    qapp.processEvents()
    assert len(area.visible_keys) == 2
    area.resize(1200, 700)
    get_appearance().set_presenting(False)
    area.rearrange()
    qapp.processEvents()
    assert {key: area.docks[key].geometry() for key in FOUR} == places
    assert not [each for each in area.findChildren(QTabBar) if each.isVisible() and each.count()]


def test_plot_opened_during_presentation_stays_open(area: DockArea, qapp: QApplication) -> None:
    get_appearance().set_presenting(True)
    area.open("errors")
    qapp.processEvents()
    assert area.visible_keys == ("errors",)
    get_appearance().set_presenting(False)
    assert set(area.open_keys) == {*FOUR, "errors"}


def test_small_page_shows_one_row_of_plots(area: DockArea, qapp: QApplication) -> None:
    for height, n_visible in ((400, 1), (460, 2), (700, 4)):
        area.resize(800, height)
        area.rearrange()
        qapp.processEvents()
        assert len(area.visible_keys) == n_visible
        assert area.open_keys == FOUR


def test_arrangement_is_kept_per_size_until_reset(
    area: DockArea, qtbot: Any, qapp: QApplication
) -> None:
    def visit(area: DockArea, *size: int) -> dict[str, QRect]:
        area.resize(*size)
        qapp.processEvents()
        area.rearrange()
        qapp.processEvents()
        area.save()
        return {key: area.docks[key].geometry() for key in area.visible_keys}

    first = visit(area, 1200, 700)
    docks = area.docks
    area.splitDockWidget(docks["slice"], docks["progress"], Qt.Orientation.Vertical)
    qapp.processEvents()
    own = visit(area, 1200, 700)
    assert own != first
    narrow = visit(area, 800, 460)
    low = visit(area, 780, 340)
    assert len(low) == 1
    assert visit(area, 1200, 700) == own, "a projector in between changes nothing"
    assert visit(area, 800, 460) == narrow
    repeated = DockArea(REGISTRY, FOUR)
    qtbot.addWidget(repeated)
    repeated.resize(1200, 700)
    repeated.show()
    assert visit(repeated, 1200, 700) == own, "nor does a start on the other screen"
    repeated.reset()
    qapp.processEvents()
    assert visit(repeated, 1200, 700) == first
    assert visit(repeated, 800, 460) != narrow
    assert visit(repeated, 1200, 700) == first


def test_reset_does_not_change_presentation(area: DockArea, qapp: QApplication) -> None:
    area.open("errors")
    get_appearance().set_presenting(True)
    qapp.processEvents()
    area.reset()
    qapp.processEvents()
    assert area.open_keys == FOUR and area.visible_keys == ("progress",)
    get_appearance().set_presenting(False)
    area.rearrange()
    qapp.processEvents()
    assert area.open_keys == area.visible_keys == FOUR


def test_appearing_bar_does_not_rearrange_plots(
    area: DockArea, qtbot: Any, qapp: QApplication
) -> None:
    window, bar = QWidget(), QWidget()
    bar.setFixedHeight(60)
    bar.hide()
    kit.column((area, 1), bar, parent=window)
    window.resize(1200, 760)
    window.show()
    qapp.processEvents()
    with qtbot.assertNotEmitted(area.available_size_changed):
        bar.show()
        qapp.processEvents()
    with qtbot.waitSignal(area.available_size_changed):
        window.resize(900, 760)
    area.setParent(None)
    window.close()


def test_plot_rows_and_columns_are_equal(area: DockArea, qapp: QApplication) -> None:
    for size in ((1200, 700), (1000, 800)):
        area.resize(*size)
        area.rearrange()
        qapp.processEvents()
        visible_docks = [area.docks[key] for key in area.visible_keys]
        assert len({dock.height() for dock in visible_docks}) == 1
        assert (
            max(dock.width() for dock in visible_docks)
            - min(dock.width() for dock in visible_docks)
            <= 1
        )


def test_presentation_layout_is_temporary(area: DockArea, qapp: QApplication) -> None:
    area.show_temporarily(("errors",))
    area.save()
    assert area.open_keys == ("errors",)
    area.show_temporarily(("errors", "slice"))
    area.restore()
    qapp.processEvents()
    assert area.open_keys == area.visible_keys == FOUR


def test_hidden_empty_plot_returns_to_its_tab(area: DockArea, qapp: QApplication) -> None:
    get_appearance().set_presenting(True)
    qapp.processEvents()
    assert area.visible_keys == ("progress",)
    area.docks["diversity"].raise_()
    qapp.processEvents()
    assert area.visible_keys == ("diversity",)
    for front in ("diversity", "slice"):
        area.docks[front].raise_()
        qapp.processEvents()
        area.set_hidden_while_empty("diversity", True)
        qapp.processEvents()
        assert "diversity" not in area.visible_keys
        area.set_hidden_while_empty("diversity", False)
        qapp.processEvents()
        assert area.visible_keys == (front,)


def test_reset_during_presentation_keeps_tab_names(area: DockArea, qapp: QApplication) -> None:
    get_appearance().set_presenting(True)
    qapp.processEvents()
    area.reset()
    qapp.processEvents()
    assert area.visible_keys == ("progress",)
    bars = [each for each in area.findChildren(QTabBar) if each.isVisible()]
    names = [bar.count() for bar in bars if bar.count()]
    assert names == [len(FOUR)]
    get_appearance().set_presenting(False)
    area.rearrange()
    qapp.processEvents()
    assert area.visible_keys == FOUR


def test_presented_headline_is_not_truncated(qtbot: Any) -> None:
    bar = LiveBar(REGISTRY)
    qtbot.addWidget(bar)
    bar.resize(780, 60)
    bar.show()
    try:
        get_appearance().set_presenting(True)
        brief = "Perte logarithmique 0,3606 sur les lignes de test."
        bar.show_activity(
            brief + " Parmi les 50 lignes en tête : 27.", ended=True, brief=(brief, "test 0,3606")
        )
        qtbot.waitUntil(lambda: bar.now_label.text() == brief)
    finally:
        get_appearance().set_presenting(False)
    assert bar.result_button.isVisible() and bar.expert_chip.isVisible()


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize("hidden", [False, True])
def test_arrangement_returns_with_type_size_after_presentation(
    area: DockArea, qapp: QApplication, by_hand: bool, hidden: bool
) -> None:
    area.available_size_changed.connect(area.rearrange)
    if by_hand:
        docks = area.docks
        area.splitDockWidget(docks["slice"], docks["progress"], Qt.Orientation.Vertical)
    qapp.processEvents()
    area.save()
    initial_scale = load().type_scale
    places = {key: area.docks[key].geometry() for key in area.visible_keys}
    assert set(places) == set(FOUR)
    save(load().with_changes(type_scale=1.5))
    qapp.processEvents()
    get_appearance().set_presenting(True)
    area.resize(1210, 710)  # to full screen
    qapp.processEvents()
    get_appearance().set_presenting(False)
    area.resize(1200, 700)
    qapp.processEvents()
    assert area.open_keys == FOUR and len(area.visible_keys) < len(FOUR)
    area.setHidden(hidden)
    save(load().with_changes(type_scale=initial_scale))
    area.show()
    qapp.processEvents()
    assert {key: area.docks[key].geometry() for key in area.visible_keys} == places


@pytest.mark.parametrize("page", ["live", "results"])
def test_hint_of_presentation_covers_nothing(
    page: str, recorded_window: MainWindow, qtbot: Any
) -> None:
    window = recorded_window
    window.show_page(page)
    try:
        window.window_actions.toggle_presenting()
        window.setWindowState(Qt.WindowState.WindowNoState)  # for a small screen
        qtbot.wait(50)
        window.resize(911, 512)
        qtbot.waitUntil(lambda: window.top_bar.isHidden() and window.toast.isVisible())
        qtbot.wait(50)
        toast = window.toast.geometry()
        assert window.rect().contains(toast)
        shown = window.bottom if page == "live" else window.get_page_widget(page)
        assert shown.isVisible()
        place = QRect(shown.mapTo(window, QPoint()), shown.size())
        assert not toast.intersects(place)
        for key in ("live", "results"):  # nor a button at the side
            button = window.rail.get_button(key)
            assert not toast.intersects(QRect(button.mapTo(window, QPoint()), button.size()))
        window.toast.dismiss()
        qtbot.waitUntil(
            lambda: shown.mapTo(window, shown.rect().bottomRight()).y() == window.height() - 1
        )
    finally:
        get_appearance().set_presenting(False)


def test_dragged_widths_return_after_presentation_though_other_shape_fits(
    area: DockArea, qtbot: Any, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DockArea, "_max_extra_height", 100)  # as of a narrow plot with more lines
    area.rearrange()
    qapp.processEvents()
    assert len({area.docks[key].y() for key in area.visible_keys}) < len(area.visible_keys) == 3
    first = area.docks[area.visible_keys[0]].geometry()
    start = QPoint(first.right() + 3, first.center().y())
    assert area.isSeparator(start)
    drag_separator(qtbot, area, start, start + QPoint(90, 0))
    places = {key: area.docks[key].geometry() for key in area.visible_keys}
    assert area.docks[area.visible_keys[0]].width() > first.width() + 60
    for _ in range(2):
        get_appearance().set_presenting(True)
        area.resize(1900, 900)
        area.rearrange()
        qapp.processEvents()
        monkeypatch.setattr(DockArea, "_max_extra_height", 0)  # presented plots are wider
        get_appearance().set_presenting(False)
        area.rearrange()  # before the window has its former size
        area.resize(1200, 700)
        area.rearrange()
        qapp.processEvents()
        assert {key: area.docks[key].geometry() for key in area.visible_keys} == places
    dragged = area.docks[area.visible_keys[0]].geometry()
    drag_separator(qtbot, area, start + QPoint(90, 0), start + QPoint(20, 0))
    area.resize(1300, 700)
    qapp.processEvents()
    area.resize(1200, 700)
    qapp.processEvents()
    assert area.docks[area.visible_keys[0]].width() < dragged.width() - 40, "the last drag counts"


def drag_separator(qtbot: Any, area: DockArea, start: QPoint, end: QPoint) -> None:
    """Drag the separator of two docks; Qt moves it in a timer, after the press."""
    qtbot.mousePress(area, Qt.MouseButton.LeftButton, pos=start)
    for position in ((start + end) / 2, end):
        QTest.mouseMove(area, position)
        qtbot.wait(50)
    qtbot.mouseRelease(area, Qt.MouseButton.LeftButton, pos=end)
    qtbot.wait(50)


@pytest.mark.parametrize("type_scale", [1.25, 1.5])
def test_plot_has_room_below_runs_in_small_window(
    type_scale: float, recorded_window: MainWindow, qtbot: Any
) -> None:
    saved = load()
    save(saved.with_changes(type_scale=type_scale, live="simple"))
    try:
        recorded_window.resize(911, 512)
        page = recorded_window.get_page_widget("live")
        assert isinstance(page, LivePage)
        canvas = page.simple.plot.canvas
        qtbot.waitUntil(lambda: canvas.isVisible() and page.simple.plot.current_figure is not None)
        qtbot.wait(300)
        (box,) = (each.getViewBox() for each in canvas.ci.items)
        assert box.height() >= 120
    finally:
        save(saved)


@pytest.mark.parametrize("key", ["slice", "diversity"])
@pytest.mark.parametrize("size", [(1200, 700), (1366, 600), (800, 460)])
def test_presentation_ends_while_page_is_hidden(
    area: DockArea, qapp: QApplication, size: tuple[int, int], key: str
) -> None:
    area.resize(*size)
    area.rearrange()
    qapp.processEvents()
    get_appearance().set_presenting(True)
    qapp.processEvents()
    area.hide()
    area.set_hidden_while_empty(key, True)
    get_appearance().set_presenting(False)
    area.show()
    area.rearrange()
    qapp.processEvents()
    sizes = [area.docks[each].size() for each in area.visible_keys]
    assert set(area.open_keys) == {*FOUR} - {key}
    used = sum(each.width() * each.height() for each in sizes)
    assert used > 0.8 * area.width() * area.height()
    area.set_hidden_while_empty(key, False)
    qapp.processEvents()
    assert area.open_keys == FOUR


def test_audience_sees_how_to_read_the_plot(helper: Any, qtbot: Any) -> None:
    view = SimpleView(helper)
    qtbot.addWidget(view)
    get_appearance().set_presenting(True, 768)
    try:
        view.resize(1240, 500)
        view.show()
        assert view.caption_label.isVisible()
    finally:
        get_appearance().set_presenting(False)
