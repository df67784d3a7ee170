"""The main window up to the start of a run; no engine is started."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from studio.data.samples import list_samples
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.gui.base import preferences, theme, user_paths
from studio.gui.base.preferences import Preferences, get_appearance
from studio.gui.pages.data.page import DataPage
from studio.gui.pages.run.page import RunPage
from studio.gui.pages.welcome.page import SamplePicture, WelcomePage
from studio.gui.session.session import Session
from studio.gui.shell import pages
from studio.gui.shell.frame.page_list import WELCOME
from studio.gui.shell.window import MainWindow
from studio.gui.widgets.keyboard_focus import find_focusable
from studio.runs.settings import RunSettings
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.test_results_page import RESULT
from tests.gui.visible_content import chips, press

pytestmark = pytest.mark.slow

REAL_PAGES = {key: pages.PAGE_FACTORIES[key] for key in ("data", "live")}
"""The slowest pages to build; only their own tests build them."""


def create_run(arguments: dict[str, Any]) -> int:
    """Create a run in the document, without preparing the table."""
    settings = RunSettings.from_json(arguments["settings"])
    settings.check()
    with Document.open(arguments["document"]) as document:
        return document.runs.add(settings.method, settings.to_json(), arguments["table"])


@pytest.fixture
def window(qtbot: QtBot, helper: Any, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    session = Session()
    monkeypatch.setattr(session.control, "start", lambda run: None)
    helper.replaced["create_run"] = create_run
    main_window = MainWindow(session, helper)
    for key in REAL_PAGES:
        monkeypatch.setitem(pages.PAGE_FACTORIES, key, lambda _: QWidget())
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.show()
    return main_window


@pytest.fixture
def data_page(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the window build the real data page."""
    monkeypatch.setitem(pages.PAGE_FACTORIES, "data", REAL_PAGES["data"])


def open_sample(window: MainWindow, qtbot: QtBot, number: int = 1) -> None:
    window.opening.open_sample(list_samples()[number])
    qtbot.waitUntil(lambda: window.data.is_ready and not window.data.busy)


def test_window_starts_on_welcome_page(window: MainWindow) -> None:
    assert window.page == WELCOME
    assert not window.top_bar.run_button.isEnabled()
    page = window.get_page_widget(WELCOME)
    assert isinstance(page, WelcomePage)


def test_recent_document_card_fits_small_screen(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.studio"
    path.touch()
    monkeypatch.setattr(user_paths, "get_recent", lambda: [path, path])
    monkeypatch.setattr(user_paths, "is_untitled", lambda path: True)
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(879, 583)  # in a window of 1024 × 640
    page.show()
    samples = next(each for each in page.findChildren(SamplePicture))
    saved_labels = [each for each in page.findChildren(QLabel) if "saved" in each.text()]
    assert saved_labels[0].mapTo(page, QPoint()).y() < samples.mapTo(page, QPoint()).y()
    assert saved_labels and not any("…" in QLabel.text(each) for each in saved_labels)


def test_welcome_page_opens_comparison_by_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    page = window.get_page_widget(WELCOME)
    assert isinstance(page, WelcomePage)
    assert page.compare_button.focusPolicy() & Qt.FocusPolicy.TabFocus
    qtbot.keyClick(page.compare_button, Qt.Key.Key_Space)
    assert window.page == "compare"
    assert window.session.is_open


@pytest.mark.usefixtures("data_page")
def test_sample_opens_in_new_document(window: MainWindow, qtbot: QtBot) -> None:
    open_sample(window, qtbot)
    assert window.page == "data"
    assert window.session.path is not None
    assert user_paths.is_untitled(window.session.path)
    assert user_paths.get_recent() == [window.session.path]
    page = window.get_page_widget("data")
    assert isinstance(page, DataPage)
    assert page.table.preview.rowCount() == 200
    assert page.target.target.currentText() == "diagnosis"
    assert window.session.space.value is not None
    assert window.top_bar.run_button.isEnabled()


@pytest.mark.parametrize(("number", "space"), [(1, "best"), (2, "best-regression")])
def test_run_started_after_opening_uses_defaults(
    window: MainWindow, qtbot: QtBot, number: int, space: str
) -> None:
    window.opening.open_sample(list_samples()[number])
    qtbot.mouseClick(window.top_bar.run_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(window.top_bar.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.page == "live")
    (view,) = window.session.runs.views
    assert view.method == "best"
    assert view.settings.space["name"] == space
    assert (view.budget, view.settings.seconds) == (None, 60.0)
    assert view.settings.advised
    assert view.row.table_id is not None
    assert window.session.run_selection.run is view
    assert window.session.document.tables.list_all()[0].id == view.row.table_id


def test_second_run_reuses_stored_table(window: MainWindow, qtbot: QtBot) -> None:
    open_sample(window, qtbot)
    for count in (1, 2):
        window.starter.start()
        qtbot.waitUntil(lambda count=count: len(window.session.runs.views) == count)
    assert len(window.session.document.tables.list_all()) == 1
    assert window.session.run_selection.run_id == 2
    assert len(chips(window.strip)) == 2


def test_run_uses_settings_of_run_page(window: MainWindow, qtbot: QtBot) -> None:
    open_sample(window, qtbot)
    window.show_page("run")
    page = window.get_page_widget("run")
    assert isinstance(page, RunPage)
    qtbot.waitUntil(lambda: window.run.catalogue is not None)
    qtbot.mouseClick(page.form.methods.families["Random search"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(page.form.methods.cards["RS-post"], Qt.MouseButton.LeftButton)
    assert page.form.bar.name_label.text().endswith("  ·  RS-post")
    inputs = page.form.settings.fields.inputs
    for name, text in (("budget", "25"), ("workers", "1")):
        inputs[name].clear()
        qtbot.keyClicks(inputs[name], text)
    page.form.settings.split.kind.setCurrentIndex(1)
    page.form.settings.split.kind.activated.emit(1)
    page.form.settings.metric_choice.setCurrentIndex(1)
    page.form.settings.metric_choice.activated.emit(1)
    inputs["class_weights"].click()
    refit = page.form.settings.refit_choice
    refit.activated.emit(refit.values.index(False))
    qtbot.keyClicks(inputs["cluster"], "tcp://10.0.0.5:8786")
    qtbot.keyClick(inputs["cluster"], Qt.Key.Key_Return)
    preferences.save(Preferences(clusters="tcp://10.0.0.5:8786"))
    window.starter.start()
    qtbot.waitUntil(lambda: len(window.session.runs.views) == 1)
    settings = window.session.runs.views[0].settings
    assert settings.method == "RS-post"
    assert settings.budget == 25
    assert settings.workers == 1
    assert settings.plan.folds == 5
    assert settings.metric == page.form.settings.metric_choice.values[1]
    assert settings.class_weights == "balanced"
    assert settings.refit is False
    assert settings.cluster == "tcp://10.0.0.5:8786"


@pytest.mark.usefixtures("data_page")
def test_reopened_document_restores_typed_values(window: MainWindow, qtbot: QtBot) -> None:
    open_sample(window, qtbot)
    window.data.set_role("mean radius", "ignore")
    window.run.change(budget=33)
    path = window.session.path
    assert path is not None
    window.documents.close()
    assert window.page == WELCOME
    window.opening.open_path(path)
    assert window.page == "data"
    assert window.run.draft.budget == 33
    assert window.data.draft.roles == {"mean radius": "ignore"}
    page = window.get_page_widget("data")
    assert isinstance(page, DataPage)
    assert page.table.preview.rowCount() == 200


def test_dropped_table_is_opened(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    table = tmp_path / "größe;1.csv"
    table.write_text("a,b,target\n1,x,0\n2,y,1\n3,x,0\n4,y,1\n", "utf-8")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(table)), QUrl.fromLocalFile(str(tmp_path / "b.csv"))])
    drop = QDropEvent(
        QPoint(5, 5),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(drop)
    qtbot.waitUntil(lambda: window.data.is_ready)
    assert window.data.draft.path == str(table)
    assert "2 files were dropped" in window.banner.text_label.text()


def test_invalid_table_is_reported_without_run(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.csv"
    empty.touch()
    window.opening.open_path(empty)
    qtbot.waitUntil(lambda: window.data.error != "")
    assert not window.top_bar.run_button.isEnabled()
    assert window.data.error in window.top_bar.run_button.toolTip()
    window.starter.start()
    assert window.data.error in window.banner.text_label.text()


def test_opening_another_document_resets_focus(window: MainWindow) -> None:
    window.documents.create()
    window.show_page("run")
    page = window.get_page_widget("run")
    find_focusable(page)[0].setFocus()
    assert page.focusWidget() is not None
    window.documents.create()
    assert page.focusWidget() is None
    button = window.top_bar.document_button
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)  # its menu has grabbed the mouse
    window.documents.create()
    assert not button.underMouse()


def places_on(window: MainWindow) -> list[QRect]:
    """Return the positions of the window's parts."""
    parts = (window.get_page_widget(window.page), window.bottom, window.slider.slider)
    return [QRect(each.mapTo(window, QPoint(0, 0)), each.size()) for each in parts]


def test_finished_run_is_announced_with_link(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1024, 640)
    open_sample(window, qtbot)
    window.starter.start()
    qtbot.waitUntil(lambda: bool(window.session.runs.views))
    run = window.session.runs.views[0].row.id
    window.show_page("data")
    with Document.open(window.session.path) as document:
        document.runs.set_state(run, "running")
        window.session.following.poll()
        QApplication.processEvents()
        before = places_on(window)
        document.runs.set_result(run, RESULT)
        document.runs.set_state(run, "finished")
        window.session.following.poll()
    QApplication.processEvents()
    assert window.page == "data", "the user is not interrupted"
    assert places_on(window) == before, "nothing moves under the pointer"
    assert contains_facts(window.toast.text_label.text(), "has finished", "test 4.0 %")
    assert window.toast.isVisible()
    page, _, _ = before
    assert not page.intersects(window.toast.geometry()), "it covers nothing of the page"
    assert window.toast.geometry().left() > window.top_bar.run_button.geometry().right()
    window.window_actions.show_answer("who_first")
    window.show_page("data")
    press(window.toast, "See the result")
    assert window.page == "results"
    assert window.get_page_widget("results").views.current_key == "answer"
    assert not window.toast.isVisible()


def test_new_run_shows_answer_first(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", REAL_PAGES["live"])
    open_sample(window, qtbot)
    window.starter.start()
    qtbot.waitUntil(lambda: len(window.session.runs.views) == 1 and not window.starter.is_busy)
    window.window_actions.show_answer("who_first")
    window.starter.start()
    qtbot.waitUntil(lambda: len(window.session.runs.views) == 2 and not window.starter.is_busy)
    assert window.page == "live"
    window.show_page("results")
    assert window.get_page_widget("results").views.current_key == "answer"
    window.window_actions.show_answer("who_first")
    window.get_page_widget("live").result_requested.emit()
    assert window.page == "results"
    assert window.get_page_widget("results").views.current_key == "answer"


def test_invalid_document_is_reported(window: MainWindow, tmp_path: Path) -> None:
    bad = tmp_path / "bad.studio"
    bad.write_bytes(b"PK\x03\x04")
    window.opening.open_path(bad)
    assert window.banner.isVisible()
    assert "bad.studio" in window.banner.text_label.text()
    assert window.page == WELCOME


def test_time_slider_returns_to_live(window: MainWindow, qtbot: QtBot) -> None:
    open_sample(window, qtbot)
    window.starter.start()
    qtbot.waitUntil(lambda: len(window.session.runs.views) == 1)
    with Document.open(window.session.path) as other:  # type: ignore[arg-type]
        other.owners.claim(1)  # as its engine does
        for number in range(1, 6):
            other.trials.add(
                1,
                Trial(number, {"algorithm": "knn"}, 0, 0.2),
                np.zeros((4, 2), np.float16),
                None,
                Iteration(number, 1, 0.2, None, 0.1),
            )
    qtbot.waitUntil(lambda: "iteration 5" in window.slider.text_label.text())
    window.slider.slider.setValue(2)
    assert window.session.run_selection.iteration == 2
    assert window.slider.text_label.text() == "iteration 2 of 5"
    qtbot.mouseClick(window.slider.live_button, Qt.MouseButton.LeftButton)
    assert window.session.run_selection.iteration is None
    assert window.slider.text_label.text() == "iteration 5 · live"


def test_changed_theme_is_remembered(window: MainWindow, qapp: QApplication) -> None:
    get_appearance().toggle()
    assert theme.current() is theme.DARK
    get_appearance().toggle()
    assert theme.current() is theme.LIGHT


@pytest.mark.usefixtures("data_page")
def test_opening_another_document_scrolls_pages_to_top(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    open_sample(window, qtbot)
    bars = [
        each.verticalScrollBar()
        for each in window.get_page_widget("data").findChildren(QScrollArea)
    ]
    (bar,) = (each for each in bars if each.maximum())
    bar.setValue(bar.maximum())
    assert bar.value()
    window.session.close()
    assert bar.value() == 0


def test_small_window_collapses_rail(window: MainWindow) -> None:
    window.resize(1200, 700)
    QApplication.processEvents()
    assert window.rail.width() >= 144
    window.resize(window.minimumSize())
    QApplication.processEvents()
    assert (window.width(), window.height()) == (880, 464)
    assert window.rail.width() == 56
    assert window.rail.get_button("data").accessibleName() == "Data", "and names them"
    assert window.rail.get_button("data").toolTip()
