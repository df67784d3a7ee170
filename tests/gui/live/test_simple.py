"""The simple view: activity line, one large plot, members, and the link to all plots."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from studio.analysis.headline_text import make_brief_headlines, make_headline_parts
from studio.document.store import Document
from studio.figures.ink import get_run_ink
from studio.gui.base import preferences
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.live.bar import INITIAL_PLOTS
from studio.gui.pages.live.page import LivePage
from studio.gui.plots.base.frame import NO_RUN
from studio.gui.session.session import Session
from studio.language import tr, translate
from studio.runs.create import fork_run
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from tests.facts import contains_facts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simple")
    table = folder / "t.csv"
    rows = [f"{i % 9},{(i * 7) % 13},{'xy'[(i % 9) > 4]}" for i in range(80)]
    table.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    settings = RunSettings(
        method="BO-post", budget=6, workers=1, source=TableSource(path=str(table))
    )
    with Document.create(folder / "w.studio") as document:
        run_id = document.runs.add("first", settings.to_json())
        Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
    return folder / "w.studio"


@pytest.fixture
def session() -> Iterator[Session]:
    new_session = Session()
    yield new_session
    new_session.close()


@pytest.fixture
def page(session: Session, qtbot: Any, helper: Any, finished: Path) -> LivePage:
    live = LivePage(session, helper)
    qtbot.addWidget(live)
    live.resize(1100, 800)
    live.show()
    session.open(finished)
    qtbot.waitUntil(lambda: live.simple.plot.empty_text == "")
    return live


def test_simple_view_creates_headline_plot_only(page: LivePage, session: Session) -> None:
    assert not page.expert
    assert page.plots == []
    result = session.runs.views[0].row.result
    assert result is not None and result.headline is not None
    headline = translate(make_headline_parts(result.headline)[0])
    assert page.bar.now_label.text().endswith(headline)
    error = page.simple.plot.subject.series.measure.format_briefly(result.test_error_ensemble)
    assert page.bar.now_label.text().startswith(f"Error rate {error} on test rows"), (
        "as in the plot"
    )
    assert page.bar.result_button.isVisible()
    assert not page.bar.plots_button.isVisible()
    weights = page.simple.strip.bar.get_weights()
    assert sum(weights.values()) == pytest.approx(1.0)
    assert page.simple.strip.legend.names


def test_activity_line_uses_largest_fitting_font(page: LivePage, qtbot: Any) -> None:
    sizes = []
    for width in (1100, 700):
        page.resize(width, 700)
        QApplication.processEvents()
        page.bar.show_activity("Finished: error rate 1.9 % on the test rows.", ended=True)
        sizes.append(page.bar.now_label.fontInfo().pixelSize())
    assert sizes[0] > sizes[1]


@pytest.mark.parametrize(("ended", "is_past"), [(False, False), (True, True)])
def test_activity_line_keeps_its_font_while_trials_change(
    page: LivePage, *, ended: bool, is_past: bool
) -> None:
    page.resize(1100, 700)
    QApplication.processEvents()
    sizes = set()
    for text in ("Trial 3: a tree, 1.9 %.", "Trial 4: a nearest-neighbours model, 1.9 %. " * 2):
        page.bar.show_activity(text, ended=ended, is_past=is_past)
        sizes.add(page.bar.now_label.fontInfo().pixelSize())
    assert len(sizes) == 1


def test_long_sentence_is_shortened_to_available_width(page: LivePage, session: Session) -> None:
    result = session.runs.views[0].row.result
    assert result is not None and result.headline is not None
    full_sentence, *brief = map(
        translate, (make_headline_parts(result.headline)[0], *make_brief_headlines(result.headline))
    )
    texts_by_width = {}
    for width in (1400, 1000, 600, 520):
        page.resize(width, 700)
        QApplication.processEvents()
        now = page.bar.now_label
        assert QLabel.text(now) == now.text(), "not cut"
        assert now.accessibleName().endswith(full_sentence)
        texts_by_width[width] = now.text()
    assert texts_by_width[1400].endswith(full_sentence)
    assert any(texts_by_width[1000].endswith(each) for each in (full_sentence, *brief))
    numbers = [re.findall(r"\d+", each) for each in (full_sentence, brief[0])]
    assert numbers[0] == numbers[1]
    assert "test" in texts_by_width[520], "the error of the plot at least"


def test_simple_view_follows_selected_iteration(
    page: LivePage, session: Session, qtbot: Any
) -> None:
    session.run_selection.choose_iteration(1)
    qtbot.waitUntil(lambda: page.simple.strip.bar.get_weights() == {1: 1.0})
    assert page.bar.now_label.text().startswith("Trial 1: ")
    with qtbot.waitSignal(page.playback_requested):
        qtbot.keyClick(page.simple.plot, Qt.Key.Key_Space)


@pytest.mark.parametrize("high", [480, 400, 360])
def test_plot_keeps_minimum_height_in_small_window(page: LivePage, qtbot: Any, high: int) -> None:
    page.resize(800, high)
    qtbot.waitUntil(lambda: page.simple.plot.height() >= 180)
    strip = page.simple.strip
    assert strip.isVisible() or not strip.names.isVisible()
    page.resize(1100, 700)
    qtbot.waitUntil(lambda: strip.names.isVisible() and strip.count_label.isVisible())


def test_expert_view_is_remembered(page: LivePage, qtbot: Any) -> None:
    qtbot.mouseClick(page.bar.expert_chip, Qt.MouseButton.LeftButton)
    assert preferences.load().live == "expert"
    assert page.bar.plots_button.isVisible()
    qtbot.waitUntil(lambda: set(page.area.visible_keys) == set(INITIAL_PLOTS))
    qtbot.mouseClick(page.bar.simple_chip, Qt.MouseButton.LeftButton)
    assert preferences.load().live == "simple"
    assert page.area.visible_keys == ()
    page.open_plot("losses")
    assert page.expert
    assert "losses" in page.area.open_keys


def test_plots_opened_for_recording_close_with_recording(page: LivePage, session: Session) -> None:
    session.play()
    page.show_temporarily(("slice", "progress"))
    assert page.expert
    session.play()
    assert set(page.area.open_keys) == {"slice", "progress"}, "played again"
    session.stop_playing()
    assert not page.expert
    assert preferences.load().live == "simple"


def test_simple_view_links_to_result(page: LivePage, qtbot: Any) -> None:
    with qtbot.waitSignal(page.result_requested):
        qtbot.mouseClick(page.bar.result_button, Qt.MouseButton.LeftButton)


@pytest.fixture
def two_runs(
    finished: Path, session: Session, qtbot: Any, helper: Any, tmp_path: Path
) -> tuple[LivePage, int]:
    """Return the page of a document with the run "first" and its fork "second", and the fork."""
    path = tmp_path / "two.studio"
    shutil.copy(finished, path)
    with Document.open(path) as document:
        fork = fork_run(document, 1, 3, {"method": "RS"}, "second")
        Engine(document, fork, lambda progress: None, InlinePool).execute_run()
    page = LivePage(session, helper)
    qtbot.addWidget(page)
    page.resize(1100, 700)
    page.show()
    session.open(path)
    return page, fork


def panel_height(plot: Any) -> float:
    return float(plot.painter._axes[0].item.getViewBox().height())


def panel_width(plot: Any) -> int:
    """Return the width of a plot's only drawing area, in pixels."""
    (panel,) = plot.canvas.ci.items
    return round(panel.getViewBox().sceneBoundingRect().width())


def test_two_runs_are_shown_side_by_side(
    two_runs: tuple[LivePage, int], session: Session, qtbot: Any
) -> None:
    page, fork = two_runs
    qtbot.waitUntil(lambda: page.simple.plot.empty_text == "")
    assert not page.bar.side_by_side_chip.isVisible()
    session.run_selection.choose_run(fork)
    session.run_selection.overlay(1, True)
    qtbot.waitUntil(page.bar.side_by_side_chip.isVisible)
    assert contains_facts(page.bar.now_label.text(), "second", "first"), (
        "the headline is of both runs"
    )
    qtbot.waitUntil(lambda: page.simple.strip.count_label.text().startswith("second: "))
    qtbot.mouseClick(page.bar.side_by_side_chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(page.columns.visible_views) == 2)
    views = page.columns.visible_views
    qtbot.waitUntil(lambda: all(each.plot.empty_text == "" for each in views))
    assert [each.heading.name.text() for each in views] == ["first", "second"]
    assert views[0].heading.swatch.ink == get_run_ink(1) != views[1].heading.swatch.ink
    assert "from its parent" in views[1].heading.trials_label.text()
    session.run_selection.choose_iteration(2)

    def at_two() -> bool:
        return all(sum(each.strip.bar.get_weights()) <= 3 for each in views)

    qtbot.waitUntil(at_two)
    pictures = [each.plot.data for each in views]
    assert len({(each.iteration, each.low, each.high, each.last) for each in pictures}) == 1
    assert abs(views[0].width() - views[1].width()) <= 1
    qtbot.waitUntil(lambda: len({panel_width(each.plot) for each in views}) == 1)
    session.run_selection.choose_iteration(None)
    last = session.run_selection.last
    qtbot.waitUntil(lambda: {each.plot.data.iteration for each in views} != {2})
    width = panel_width(page.simple.plot)
    for iteration in (2, last - 1):
        session.run_selection.choose_iteration(iteration)
        qtbot.waitUntil(lambda at=iteration: {each.plot.data.iteration for each in views} >= {at})
        assert panel_width(page.simple.plot) == width, "the axes stay while the slider moves"
    qtbot.mouseClick(page.bar.side_by_side_chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(page.columns.visible_views) == 1)
    session.run_selection.overlay(1, False)
    qtbot.waitUntil(lambda: not page.bar.side_by_side_chip.isVisible())


def test_expert_view_shows_any_plot_side_by_side(
    two_runs: tuple[LivePage, int], session: Session, qtbot: Any
) -> None:
    page, fork = two_runs
    qtbot.mouseClick(page.bar.expert_chip, Qt.MouseButton.LeftButton)
    session.run_selection.choose_run(fork)
    session.run_selection.overlay(1, True)
    qtbot.waitUntil(page.bar.side_by_side_chip.isVisible)
    qtbot.mouseClick(page.bar.side_by_side_chip, Qt.MouseButton.LeftButton)
    assert page.is_in_columns and page.expert
    assert not page.bar.plots_button.isVisible(), "the plot is chosen above the pair"
    for key in ("progress", "algorithms", "resources", "membership"):
        page.plot_columns.chooser.show_key(key)
        qtbot.waitUntil(lambda key=key: key in page.plot_columns.plots)
        both = page.plot_columns.plots[key]
        qtbot.waitUntil(lambda both=both: all(each.empty_text == "" for each in both))
        assert all(each.isVisible() for each in both)
        assert [each.subject.name for each in both] == ["first", "second"]
        headings = page.plot_columns.headings
        assert [each.name.text() for each in headings] == ["first", "second"]
        assert all(each.figure.text() for each in headings)
        assert len({each.current_figure.panels[0].x.high for each in both}) == 1, "one axis of time"
    assert not page.plot_columns.plots["progress"][0].isVisible()
    session.run_selection.choose_iteration(2)
    qtbot.waitUntil(lambda: {each.data.iteration for each in both} == {2})
    for switch in (page.bar.simple_chip, page.bar.expert_chip):
        qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert page.is_in_columns
    session.run_selection.overlay(1, False)
    qtbot.waitUntil(lambda: not page.is_in_columns)
    assert page.expert and not page.bar.side_by_side_chip.isVisible()
    assert page.bar.plots_button.isVisible()


def test_runs_side_by_side_fit_at_large_font_size(
    two_runs: tuple[LivePage, int], session: Session, qtbot: Any
) -> None:
    page, fork = two_runs
    preferences.save(preferences.load().with_changes(type_scale=2.0))
    get_appearance().apply()
    try:
        page.resize(1246, 460)  # in a window of 1366 × 728
        session.run_selection.choose_run(fork)
        session.run_selection.overlay(1, True)
        qtbot.waitUntil(page.bar.side_by_side_chip.isVisible)
        for switch in (page.bar.expert_chip, page.bar.side_by_side_chip, page.bar.simple_chip):
            qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
        qtbot.mouseClick(page.bar.expert_chip, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: "progress" in page.plot_columns.plots)
        plots = page.plot_columns.plots["progress"]
        qtbot.waitUntil(lambda: all(each.current_figure is not None for each in plots))
        qtbot.wait(50)
        assert min(panel_height(each) for each in plots) > 60
        label = page.bar.now_label
        assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()
        for shortest, has_link in (("Lowest: Random search", False), ("Equal", True)):
            page.bar.show_activity("Long text " * 9, ended=True, brief=(shortest,))
            assert label.fontMetrics().horizontalAdvance(shortest) <= label.width()
            assert page.bar.result_button.isVisible() == has_link
    finally:
        preferences.save(preferences.load().with_changes(type_scale=1.0))
        get_appearance().apply()


def test_pending_run_is_shown(qtbot: Any, helper: Any, tmp_path: Path) -> None:
    session = Session()
    session.create(tmp_path / "d.studio")
    for expert in (False, True):
        preferences.save(preferences.load().with_changes(live="expert" if expert else "simple"))
        live = LivePage(session, helper)
        qtbot.addWidget(live)
        live.resize(1100, 700)
        live.show()
        plot = live.get_plot(INITIAL_PLOTS[0]) if expert else live.simple.plot
        assert plot.empty_text == tr(NO_RUN)
        live.show_starting("Saving the table")
        assert plot.empty_text == live.bar.now_label.text() == "Saving the table"
        session.run_selection.choose_run(99)  # created, but not read yet
        live.show_starting("")
        assert contains_facts(live.bar.now_label.text(), "Starting")
        assert plot.empty_text == live.bar.now_label.text()
        session.run_selection.choose_run(None)
        assert plot.empty_text == tr(NO_RUN)
        live.close()
    session.close()


def test_started_run_is_shown_immediately(qtbot: Any, helper: Any, tmp_path: Path) -> None:
    session = Session()
    session.create(tmp_path / "d.studio")
    live = LivePage(session, helper)
    qtbot.addWidget(live)
    live.show()
    with Document.open(tmp_path / "d.studio") as document:
        run_id = document.runs.add("new", RunSettings(method="RS", budget=3).to_json())
    session.following.poll()
    live.scheduler.stop()
    session.run_selection.choose_run(run_id)
    assert live.simple.plot.empty_text and live.simple.plot.empty_text != tr(NO_RUN)
    session.close()
