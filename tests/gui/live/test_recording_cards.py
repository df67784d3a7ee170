"""Cards of a recording announce their content, and columns of cards share an axis."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from studio.data.samples import list_recordings
from studio.gui.base import preferences
from studio.gui.pages.live.columns import align_similar
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.plot import Plot
from studio.gui.session.session import Session
from studio.language import tr
from tests.gui.visible_content import iter_visible

KEYS = list_recordings()[1].plots
SUMMARIES = {plot.key: tr(plot.summary) for plot in REGISTRY}


@pytest.fixture
def page(qtbot: Any, helper: Any, tmp_path: Path) -> Any:
    path = tmp_path / "r.studio"
    path.write_bytes(list_recordings()[1].path.read_bytes())
    preferences.save(preferences.load().with_changes(live="expert"))
    session = Session()
    page = LivePage(session, helper)
    qtbot.addWidget(page)
    page.resize(1150, 760)
    page.show()
    session.open(path)
    yield page
    session.close()
    preferences.save(preferences.load().with_changes(live="simple"))


def read_cards(page: LivePage) -> dict[str, str]:
    """Return the texts of the visible cards without a drawing."""
    cards = {}
    for key in page.area.visible_keys:
        dock = page.area.docks[key]
        if dock.plot is None or dock.plot.empty_text:
            cards[key] = "\n".join(each.text() for each in iter_visible(dock, QLabel))
    return cards


@pytest.mark.slow
def test_recording_cards_announce_content_from_first_frame(
    page: LivePage, helper: Any, qtbot: Any
) -> None:
    session = page._session
    helper.holds_replies = True
    session.play()
    assert session.following.playback is not None
    session.following.playback.speed = 0.0
    page.show_temporarily(KEYS)
    QApplication.sendPostedEvents()
    cards = read_cards(page)
    assert set(cards) == set(KEYS)
    for key, text in cards.items():
        if key != "progress":
            assert SUMMARIES[key] in text, key
    qtbot.waitUntil(lambda: all(page.area.docks[key].plot is not None for key in KEYS))
    session.following.playback.speed = 4.0
    qtbot.waitUntil(lambda: len(session.runs.views[0].trials) > 1)
    session.following.playback.speed = 0.0
    page.scheduler.draw_all()
    cards = read_cards(page)
    assert set(cards) == set(KEYS) - {"progress"}
    for key, text in cards.items():
        plot = page.get_plot(key)
        assert text.count(SUMMARIES[key]) == 1, "the card's own line has gone"
        assert tr(plot.waiting_message) in text  # type: ignore[attr-defined]


def test_only_similar_sizes_are_aligned() -> None:
    assert align_similar([62, 75, 200, 66], 28) == [75, 75, 200, 75]
    assert align_similar([62, 91], 28) == [62, 91]
    assert align_similar([0, 2, 3], 1) == [0, 3, 3]
    assert align_similar([], 28) == []


def get_corner(plot: Plot) -> tuple[int, int]:
    """Return the position of a plot's first drawing area, in pixels of its window."""
    box = next(iter(plot.canvas.ci.items)).getViewBox()
    point = plot.canvas.mapFromScene(box.sceneBoundingRect().topLeft())
    return plot.canvas.mapTo(plot.window(), point).toTuple()


@pytest.mark.slow
def test_left_axes_of_cards_above_one_another_are_aligned(page: LivePage, qtbot: Any) -> None:
    keys = ("progress", "search_diversity", "resources", "losses")
    page.area.arrange(keys)
    qtbot.waitUntil(lambda: not read_cards(page) and not page.scheduler.stale_keys)
    assert page.area.visible_keys
    QApplication.processEvents()
    columns: dict[int, set[int]] = {}
    needed: dict[int, set[int]] = {}
    for key in page.area.visible_keys:
        dock, plot = page.area.docks[key], page.get_plot(key)
        columns.setdefault(dock.x(), set()).add(get_corner(plot)[0])
        needed.setdefault(dock.x(), set()).add(plot.left_width)
    assert any(len(widths) > 1 for widths in needed.values()), "they would differ"
    assert all(len(lefts) == 1 for lefts in columns.values()), columns


@pytest.mark.slow
def test_tops_of_tall_cards_beside_one_another_are_aligned(page: LivePage, qtbot: Any) -> None:
    page.resize(1500, 1060)
    page.area.arrange(("progress", "slice", "losses", "resources"))
    qtbot.waitUntil(lambda: not read_cards(page) and not page.scheduler.stale_keys)
    for _ in range(5):
        QApplication.processEvents()
    rows: dict[int, list[Plot]] = {}
    for key in page.area.visible_keys:
        rows.setdefault(page.area.docks[key].y(), []).append(page.get_plot(key))
    needed = [{plot.legend.rows for plot in plots} for plots in rows.values()]
    tops = [{get_corner(plot)[1] for plot in plots} for plots in rows.values()]
    assert any(len(each) > 1 for each in needed), "they would differ"
    assert all(len(each) == 1 for each in tops)
