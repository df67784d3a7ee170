"""Documents that 0.1.0 wrote, in the window: every page, every plot, the comparison."""

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.live.page import LivePage
from studio.gui.plots.registry import REGISTRY
from studio.gui.session.session import Session
from studio.gui.shell.frame.page_list import PAGES
from studio.gui.shell.window import MainWindow
from tests.document.old_documents import VERSIONS, unpacked

pytestmark = pytest.mark.slow


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    session = Session()
    made = MainWindow(session, helper)
    qtbot.addWidget(made, before_close_func=lambda _: session.close())
    made.show()
    return made


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("name", "trials"), [("classes", [8]), ("numbers", [None, 4]), ("study", [3] * 8)]
)
def test_every_page_shows_it(
    version: str,
    name: str,
    trials: list[int | None],
    window: MainWindow,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    window.opening.open_path(unpacked(f"{version}-{name}", tmp_path))
    session = window.session
    assert window.banner.isHidden(), window.banner.text.text()
    views = session.runs.views
    assert len(views) == len(trials)
    for view, expected in zip(views, trials, strict=True):
        session.shown.choose_run(view.row.id)
        assert len(view.trials) == (expected or view.row.settings["budget"])
        assert not view.row.program
    for page, *_ in PAGES:
        window.show_page(page)
        qtbot.wait(20)
    assert window.banner.isHidden(), window.banner.text.text()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_comparison_has_its_tables(
    version: str, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.opening.open_path(unpacked(f"{version}-study", tmp_path))
    window.show_page("compare")
    page = window.page_widget("compare")
    assert isinstance(page, ComparePage)

    def thorough() -> bool:
        page.model.look()
        return page.model.grid.count("finished") == page.model.results.finished == 8

    qtbot.waitUntil(thorough, timeout=120_000)
    assert [row[0].plain for row in page.model.results.tables["errors"].rows] == [
        "flowers (%)",
        "shells (%)",
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_plot_draws_it(
    version: str, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.opening.open_path(unpacked(f"{version}-numbers", tmp_path))
    window.session.shown.choose_run(2)
    window.show_page("live")
    live = window.page_widget("live")
    assert isinstance(live, LivePage)
    for plot in REGISTRY:
        live.open_plot(plot.key)
        for iteration in (2, None):
            window.session.shown.choose_iteration(iteration)
            qtbot.wait(5)
    assert window.banner.isHidden(), window.banner.text.text()
