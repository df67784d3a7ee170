"""The Live page: plots follow the selected run and iteration, and keep their arrangement."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QScrollArea

from studio.document.store import Document
from studio.gui.base import preferences, theme
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.live.bar import INITIAL_PLOTS, MIN_PLOT_SIZE
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.frame import NO_RUN
from studio.gui.plots.base.plot import Plot
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.system_faults import shorten_name

pytestmark = pytest.mark.slow

COLUMNS = "a,b,target\n"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live")
    table = folder / "t.csv"
    rows = [f"{i % 9},{(i * 7) % 13},{'xy'[(i % 9) > 4]}" for i in range(80)]
    table.write_text(COLUMNS + "\n".join(rows) + "\n")
    settings = RunSettings(
        method="BO-post", budget=8, workers=1, source=TableSource(path=str(table))
    )
    path = folder / "w.studio"
    with Document.create(path) as document:
        for name in ("first", "second"):
            run_id = document.runs.add(name, settings.to_json())
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run()
    return path


@pytest.fixture
def session() -> Iterator[Session]:
    new_session = Session()
    yield new_session
    new_session.close()


@pytest.fixture(autouse=True)
def expert_view() -> None:
    """Choose the expert view; the simple view has its own tests."""
    preferences.save(preferences.load().with_changes(live="expert"))


@pytest.fixture
def page(session: Session, qtbot: Any, helper: Any, finished: Path) -> LivePage:
    live = LivePage(session, helper)
    qtbot.addWidget(live)
    live.resize(1100, 800)
    live.show()
    session.open(finished)
    return live


@pytest.fixture
def drawn_page(page: LivePage, qtbot: Any) -> LivePage:
    """Return the page once the four plots of the overview are drawn."""
    qtbot.waitUntil(draw_sample(page))
    return page


def draw_sample(page: LivePage) -> Callable[[], bool]:
    return lambda: (
        len(page.plots) == len(INITIAL_PLOTS) and all(plot.empty_text == "" for plot in page.plots)
    )


def test_plots_without_document_show_hint(qtbot: Any, helper: Any) -> None:
    page = LivePage(Session(), helper)
    qtbot.addWidget(page)
    page.resize(1100, 800)
    page.show()
    qtbot.waitUntil(lambda: len(page.plots) == len(INITIAL_PLOTS))
    assert all(plot.empty_text == NO_RUN for plot in page.plots)


def test_plots_are_created_lazily(qtbot: Any, helper: Any) -> None:
    page = LivePage(Session(), helper)
    qtbot.addWidget(page)
    assert page.plots == []
    page.resize(1100, 800)
    page.show()
    qtbot.waitUntil(lambda: len(page.plots) == len(INITIAL_PLOTS))
    assert {plot.key for plot in page.plots} == set(INITIAL_PLOTS)
    assert set(page.area.open_keys) == set(INITIAL_PLOTS)


def test_each_plot_is_drawn_alone(drawn_page: LivePage, qtbot: Any) -> None:
    for plot in REGISTRY:
        drawn_page.area.arrange((plot.key,))
        dock = drawn_page.area.docks[plot.key]
        qtbot.waitUntil(lambda dock=dock: dock.plot is not None and dock.plot.subject is not None)


def test_plots_follow_selected_iteration_overlay_and_run(
    drawn_page: LivePage, qtbot: Any, session: Session
) -> None:
    assert {plot.subject.run_id for plot in drawn_page.plots if plot.subject} == {2}
    session.run_selection.choose_iteration(5)
    qtbot.waitUntil(
        lambda: all(plot.subject and plot.subject.iteration == 5 for plot in drawn_page.plots)
    )
    qtbot.waitUntil(draw_sample(drawn_page))
    session.run_selection.overlay(1, True)
    progress = drawn_page.get_plot("progress")
    qtbot.waitUntil(lambda: bool(progress.subject and progress.subject.overlays))
    assert progress.subject is not None
    assert [each.name for each in progress.subject.overlays] == ["first"]
    assert len(progress.subject.overlays[0].series.trials) == 8
    session.run_selection.choose_run(1)
    qtbot.waitUntil(
        lambda: all(plot.subject and plot.subject.run_id == 1 for plot in drawn_page.plots)
    )


def test_iterations_are_selected_by_click_and_arrow_keys(
    drawn_page: LivePage, qtbot: Any, session: Session
) -> None:
    plot = drawn_page.get_plot("progress")
    with qtbot.waitSignal(session.run_selection.iteration_chosen) as blocker:
        plot.iteration_picked.emit(3)
    assert blocker.args == [3]
    session.run_selection.choose_iteration(None)
    iterations = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home):
        qtbot.keyClick(plot, key)
        iterations.append(session.run_selection.iteration)
    qtbot.keyClick(plot, Qt.Key.Key_End)
    assert iterations == [7, 6, 7, 1]
    assert session.run_selection.iteration is None
    with qtbot.waitSignal(drawn_page.playback_requested):
        qtbot.keyClick(plot, Qt.Key.Key_Space)


def test_hidden_plots_are_not_drawn(drawn_page: LivePage, qtbot: Any, session: Session) -> None:
    drawn_page.hide()
    session.run_selection.choose_iteration(3)
    assert drawn_page.scheduler.stale_keys == ()
    assert {plot.subject.iteration for plot in drawn_page.plots if plot.subject} == {8}
    drawn_page.show()
    qtbot.waitUntil(
        lambda: {plot.subject.iteration for plot in drawn_page.plots if plot.subject} == {3}
    )


def test_plot_in_hidden_tab_is_drawn_later(
    drawn_page: LivePage, qtbot: Any, session: Session
) -> None:
    area = drawn_page.area
    area.tabifyDockWidget(area.docks["progress"], area.docks["membership"])
    area.docks["progress"].raise_()
    qtbot.waitUntil(lambda: "membership" not in area.visible_keys)
    assert "membership" in area.open_keys
    session.run_selection.choose_iteration(4)
    progress, membership = drawn_page.get_plot("progress"), drawn_page.get_plot("membership")
    qtbot.waitUntil(lambda: bool(progress.subject and progress.subject.iteration == 4))
    qtbot.waitUntil(lambda: drawn_page.scheduler.stale_keys == ())
    assert membership.subject is not None
    assert membership.subject.iteration == 8
    area.docks["membership"].raise_()
    qtbot.waitUntil(lambda: bool(membership.subject and membership.subject.iteration == 4))


def test_plots_panel_opens_closes_and_resets_plots(drawn_page: LivePage, qtbot: Any) -> None:
    panel = drawn_page.bar.open_panel()
    assert set(panel.boxes) == {plot.key for plot in REGISTRY}
    assert {key for key, box in panel.boxes.items() if box.isChecked()} == set(INITIAL_PLOTS)
    panel.boxes["slice"].setChecked(False)
    assert "slice" not in drawn_page.area.open_keys
    panel.boxes["slice"].setChecked(True)
    assert "slice" in drawn_page.area.open_keys
    with qtbot.waitSignal(panel.destroyed):
        qtbot.keyClick(panel, Qt.Key.Key_Escape)
    drawn_page.area.open("errors")
    drawn_page.area.open("slice", False)
    qtbot.mouseClick(drawn_page.bar.open_panel().reset_button, Qt.MouseButton.LeftButton)
    assert set(drawn_page.area.open_keys) == set(INITIAL_PLOTS)
    assert "live.reset" in {command.key for command in drawn_page.list_commands()}


@pytest.mark.parametrize("width", [1100, 2400])
def test_unarranged_plot_gets_free_position(drawn_page: LivePage, qtbot: Any, width: int) -> None:
    drawn_page.resize(width, 900)
    docks = drawn_page.area.docks
    for key in ("resources", "losses", "objective"):
        drawn_page.area.open(key)
        qtbot.waitUntil(lambda key=key: docks[key].is_on_screen)
        visible_docks = [docks[each] for each in drawn_page.area.visible_keys]
        over = [
            (one.key, other.key)
            for one in visible_docks
            for other in visible_docks
            if one is not other and one.geometry().intersects(other.geometry())
        ]
        assert not over
        qtbot.waitUntil(lambda key=key: docks[key].width() > 400)


def test_drawing_fills_most_of_card(drawn_page: LivePage, qtbot: Any) -> None:
    drawn_page.resize(1220, 660)
    for plot in drawn_page.plots:
        qtbot.waitUntil(lambda plot=plot: plot.canvas.height() >= 200)
        assert plot.canvas.height() >= 0.65 * plot.height()


def test_member_comparison_plots_are_hidden_for_one_member(
    drawn_page: LivePage, session: Session
) -> None:
    session.run_selection.choose_iteration(1)
    assert set(drawn_page.area.open_keys) == set(INITIAL_PLOTS), (
        "no plot comes or goes while the slider moves"
    )
    view = session.run_selection.run
    assert view is not None
    view.iterations = view.iterations[:1]  # as in the first seconds of a run
    drawn_page._subjects.clear()
    drawn_page.schedule_redraw()
    assert drawn_page.area.open_keys == ("progress", "slice", "membership")
    drawn_page.area.open("diversity")
    drawn_page.schedule_redraw()
    assert "diversity" in drawn_page.area.open_keys, "it was requested"


def test_plots_with_data_precede_surrogate_plot() -> None:
    assert (
        INITIAL_PLOTS.index("slice")
        > INITIAL_PLOTS.index("membership")
        > INITIAL_PLOTS.index("progress")
    )


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_plot_list_is_not_cut_at_large_font_size(
    page: LivePage, qtbot: Any, qapp: QApplication, scale: float
) -> None:
    theme.apply(qapp, theme.LIGHT, scale)
    panel = page.bar.open_panel()
    try:
        assert panel.width() <= page.screen().availableGeometry().width()
        (area,) = panel.findChildren(QScrollArea)
        qtbot.waitUntil(lambda: area.widget().width() == area.viewport().width())
        assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    finally:
        panel.close()
        theme.apply(qapp, theme.LIGHT)


@pytest.mark.parametrize("presenting", [False, True])
def test_plots_fill_most_of_small_page(page: LivePage, qtbot: Any, presenting: bool) -> None:
    get_appearance().set_presenting(presenting)
    try:
        page.resize(823, 389)  # in a window of 880 × 540 (1366 × 768 at 150 %)
        page.area.rearrange()
        for key in ("progress", "membership"):
            page.area.open(key)
            plot = page.get_plot(key)
            qtbot.waitUntil(
                lambda plot=plot: plot.empty_text == "" and plot.current_figure is not None
            )
            qtbot.waitUntil(lambda: len(page.area.visible_keys) == 1)

            def share(plot: Plot = plot) -> float:
                canvas_area = plot.canvas.width() * plot.canvas.height()
                return float(canvas_area / (plot.width() * plot.height()))

            qtbot.waitUntil(lambda share=share: share() >= 0.65)
            (first, *_) = plot.canvas.ci.items
            box = first.getViewBox().sceneBoundingRect()
            assert presenting or (box.width() >= 260 and box.height() >= 199)
    finally:
        get_appearance().set_presenting(False)


def test_plot_can_be_enlarged_and_restored(drawn_page: LivePage, qtbot: Any) -> None:
    area = drawn_page.area
    qtbot.mouseDClick(drawn_page.get_plot("membership").header, Qt.MouseButton.LeftButton)
    assert area.open_keys == ("membership",)
    assert drawn_page.bar.back_button.isVisible()
    area.save()
    qtbot.keyClick(drawn_page, Qt.Key.Key_Escape)
    assert set(area.open_keys) == set(INITIAL_PLOTS)
    assert not drawn_page.bar.back_button.isVisible()
    drawn_page.get_plot("slice").setFocus()
    commands = {command.key: command for command in drawn_page.list_commands()}
    assert {"live.plots", "live.simple", "live.expert"} <= set(commands)
    commands["live.large"].run()
    assert area.open_keys == ("slice",)
    qtbot.mouseClick(drawn_page.bar.back_button, Qt.MouseButton.LeftButton)
    assert set(area.open_keys) == set(INITIAL_PLOTS)


def test_full_screen_plot_is_restored_by_escape(drawn_page: LivePage, qtbot: Any) -> None:
    plot = drawn_page.get_plot("progress")
    home, geometry = plot.parentWidget(), plot.geometry()
    qtbot.mouseClick(plot.header.full_button, Qt.MouseButton.LeftButton)
    assert plot.window().isFullScreen() and plot.window() is not drawn_page.window()
    assert theme.scale() == max(1.0, drawn_page.screen().size().height() / 480)
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: plot.geometry() == geometry)
    assert plot.parentWidget() is home and plot.isVisible()
    assert theme.scale() == 1.0


def test_open_plots_are_remembered(drawn_page: LivePage, qtbot: Any, helper: Any) -> None:
    drawn_page.area.open("slice", False)
    drawn_page.area.save()
    repeated = LivePage(Session(), helper)
    qtbot.addWidget(repeated)
    repeated.resize(1100, 800)
    repeated.show()
    assert set(repeated.area.open_keys) == {"progress", "membership", "diversity"}


def answer(monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    """Let the file dialog return this path."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (chosen, ""))


def test_plot_is_exported_in_every_format_or_failure_reported(
    drawn_page: LivePage, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plot, plot_export = drawn_page.get_plot("progress"), drawn_page.plot_export
    for kind, begin in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("csv", b"run,iteration")):
        answer(monkeypatch, str(tmp_path / f"a.{kind}"))
        with qtbot.waitSignal(drawn_page.action_finished):
            plot_export.save(plot, kind)
        assert (tmp_path / f"a.{kind}").read_bytes().startswith(begin)
    answer(monkeypatch, "")
    plot_export.save(plot, "png")
    assert sorted(path.name for path in tmp_path.glob("a*")) == ["a.csv", "a.png", "a.svg"]
    QGuiApplication.clipboard().clear()
    plot_export.copy(plot)
    picture = QGuiApplication.clipboard().image()
    assert picture.format() != QImage.Format.Format_Invalid
    assert picture.width() == 2 * plot.width()

    plot_export.failed.disconnect()
    export_path = tmp_path / "nowhere" / "a.svg"
    answer(monkeypatch, str(export_path))
    with qtbot.waitSignal(plot_export.failed) as blocker:
        plot_export.save(plot, "svg")
    assert shorten_name(str(export_path)) in blocker.args[0]
    assert "writable folder" in blocker.args[0]


@pytest.mark.parametrize("size", [(1366, 768), (1440, 900)])
@pytest.mark.parametrize("count", [len(INITIAL_PLOTS), len(REGISTRY)])
def test_visible_plots_have_minimum_size(
    size: tuple[int, int], count: int, session: Session, qtbot: Any, helper: Any, finished: Path
) -> None:
    window = MainWindow(session, helper)
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    session.open(finished)
    window.show_page("live")
    live = window.get_page_widget("live")
    assert isinstance(live, LivePage)
    keys = (*INITIAL_PLOTS, *(plot.key for plot in REGISTRY if plot.key not in INITIAL_PLOTS))[
        :count
    ]

    def list_visible_plots() -> list[Plot]:
        return [live.get_plot(key) for key in live.area.visible_keys]

    live.area.arrange(keys)
    qtbot.waitUntil(lambda: bool(list_visible_plots()) and not live.scheduler.stale_keys)
    qtbot.waitUntil(lambda: all(plot.empty_text == "" for plot in list_visible_plots()))
    assert len(list_visible_plots()) >= 3
    for plot in list_visible_plots():
        drawing, card = plot.canvas.size(), plot.parentWidget().size()
        assert drawing.width() >= MIN_PLOT_SIZE[0] and drawing.height() >= MIN_PLOT_SIZE[1], (
            plot.key
        )
        share = drawing.width() * drawing.height() / (card.width() * card.height())
        assert share >= 0.65, (plot.key, share)
