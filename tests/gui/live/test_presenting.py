"""An audience sees fewer and larger plots for a while; another size of the page changes it."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

from studio.gui.base.preferences import look
from studio.gui.pages.live.docks import DockArea
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.widgets import kit

FOUR = ("progress", "slice", "membership", "diversity")


@pytest.fixture
def area(qtbot: Any, qapp: QApplication) -> Iterator[DockArea]:
    made = DockArea(REGISTRY, FOUR)
    qtbot.addWidget(made)
    made.resize(1200, 700)
    made.show()
    qapp.processEvents()
    yield made
    look().present(False)
    look().enlarge(1.0)


def test_full_screen_of_a_plot_keeps_the_arrangement(area: DockArea, qapp: QApplication) -> None:
    area.splitDockWidget(area.docks["progress"], area.docks["diversity"], Qt.Orientation.Vertical)
    qapp.processEvents()
    area.rearrange()
    places = {key: area.docks[key].geometry() for key in FOUR}
    look().enlarge(2.0)
    area.rearrange()
    qapp.processEvents()
    assert area.seen_keys == FOUR
    look().enlarge(1.0)
    area.rearrange()
    qapp.processEvents()
    assert {key: area.docks[key].geometry() for key in FOUR} == places


def test_an_audience_sees_fewer_plots_and_then_all_where_they_were(
    area: DockArea, qapp: QApplication
) -> None:
    area.splitDockWidget(area.docks["progress"], area.docks["diversity"], Qt.Orientation.Vertical)
    qapp.processEvents()
    area.rearrange()
    places = {key: area.docks[key].geometry() for key in FOUR}
    look().present(True)
    qapp.processEvents()
    assert area.open_keys == FOUR  # the others are tabs
    assert area.seen_keys == ("progress",)
    area.resize(1900, 900)
    area.rearrange()
    qapp.processEvents()
    assert len(area.seen_keys) == 2
    area.resize(1200, 700)
    look().present(False)
    area.rearrange()
    qapp.processEvents()
    assert {key: area.docks[key].geometry() for key in FOUR} == places
    assert not [each for each in area.findChildren(QTabBar) if each.isVisible() and each.count()]


def test_a_plot_opened_for_an_audience_stays(area: DockArea, qapp: QApplication) -> None:
    look().present(True)
    area.open("errors")
    qapp.processEvents()
    assert area.seen_keys == ("errors",)
    look().present(False)
    assert set(area.open_keys) == {*FOUR, "errors"}


def test_a_page_that_becomes_low_shows_one_row_and_then_two_again(
    area: DockArea, qapp: QApplication
) -> None:
    for height, seen in ((400, 2), (700, 4)):
        area.resize(800, height)
        area.rearrange()
        qapp.processEvents()
        assert len(area.seen_keys) == seen
        assert area.open_keys == FOUR


def test_a_bar_of_the_window_that_comes_leaves_all_plots_where_they_are(
    area: DockArea, qtbot: Any, qapp: QApplication
) -> None:
    window, bar = QWidget(), QWidget()
    bar.setFixedHeight(60)
    bar.hide()
    kit.column((area, 1), bar, on=window)
    window.resize(1200, 760)
    window.show()
    qapp.processEvents()
    with qtbot.assertNotEmitted(area.room_changed):
        bar.show()
        qapp.processEvents()
    with qtbot.waitSignal(area.room_changed):
        window.resize(900, 760)
    area.setParent(None)
    window.close()


def test_rows_and_columns_of_a_page_are_even(area: DockArea, qapp: QApplication) -> None:
    for size in ((1200, 700), (1000, 800)):
        area.resize(*size)
        area.rearrange()
        qapp.processEvents()
        shown = [area.docks[key] for key in area.seen_keys]
        assert len({dock.height() for dock in shown}) == 1
        assert max(dock.width() for dock in shown) - min(dock.width() for dock in shown) <= 1


def test_presentation_layout_is_temporary(area: DockArea, qapp: QApplication) -> None:
    area.show_temporarily(("errors",))
    area.save()
    assert area.open_keys == ("errors",)
    area.show_temporarily(("errors", "slice"))
    area.restore()
    qapp.processEvents()
    assert area.open_keys == area.seen_keys == FOUR
