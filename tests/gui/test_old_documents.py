"""Documents of earlier versions in the window: pages, plots and comparison."""

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.session.session import Session
from studio.gui.shell.frame.page_list import PAGES
from studio.gui.shell.window import MainWindow
from tests.document.old_documents import VERSIONS, unpack

pytestmark = pytest.mark.slow


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    session = Session()
    main_window = MainWindow(session, helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: session.close())
    main_window.show()
    return main_window


@pytest.mark.parametrize("version", VERSIONS)
def test_pages_and_plots_show_old_document(
    version: str, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    # One window for all documents of a version, as its construction takes most of the time.
    for name, trials in (("classes", [8]), ("numbers", [None, 4]), ("study", [3] * 8)):
        window.opening.open_path(unpack(f"{version}-{name}", tmp_path))
        show_everything(window, trials, qtbot)
        if name == "numbers":
            open_every_plot(window, qtbot)
    page = window.get_page_widget("compare")
    assert isinstance(page, ComparePage)

    def thorough() -> bool:
        page.model.poll()
        return page.model.grid.count("finished") == page.model.results.finished == 8

    qtbot.waitUntil(thorough)
    assert [row[0].plain for row in page.model.results.tables["errors"].rows] == [
        "flowers (%)",
        "shells (%)",
    ]


def show_everything(window: MainWindow, trials: list[int | None], qtbot: QtBot) -> None:
    """Show every page of each run, and check numbers of trials; ``None`` is the budget."""
    assert window.banner.isHidden(), window.banner.text_label.text()
    views = window.session.runs.views
    assert len(views) == len(trials)
    for view, expected in zip(views, trials, strict=True):
        window.session.run_selection.choose_run(view.row.id)
        assert len(view.trials) == (expected or view.row.settings["budget"])
        assert not view.row.program
    for page, *_ in PAGES:
        window.show_page(page)
        qtbot.wait(20)
    assert window.banner.isHidden(), window.banner.text_label.text()


def open_every_plot(window: MainWindow, qtbot: QtBot) -> None:
    """Open every plot of the second run, at an early iteration and live."""
    window.session.run_selection.choose_run(2)
    window.show_page("live")
    live = window.get_page_widget("live")
    assert isinstance(live, LivePage)
    for plot in REGISTRY:
        live.area.open(plot.key)
        for iteration in (2, None):
            window.session.run_selection.choose_iteration(iteration)
            qtbot.wait(5)
    assert window.banner.isHidden(), window.banner.text_label.text()
