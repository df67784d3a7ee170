"""The Live page: all plots follow the chosen run and iteration, and where they stand is kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.document.store import Document
from studio.gui.live_page import LivePage
from studio.gui.plots.base import NO_RUN
from studio.gui.session import Session
from studio.runs.engine import Engine
from studio.runs.settings import RunSettings, Source

COLUMNS = "a,b,target\n"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live")
    table = folder / "t.csv"
    rows = [f"{i % 9},{(i * 7) % 13},{'xy'[(i % 9) > 4]}" for i in range(80)]
    table.write_text(COLUMNS + "\n".join(rows) + "\n")
    settings = RunSettings(method="BO-post", budget=8, workers=1, source=Source(path=str(table)))
    path = folder / "w.studio"
    with Document.create(path) as document:
        for name in ("first", "second"):
            run_id = document.add_run(name, settings.to_json())
            Engine(document, run_id, lambda progress: None).work()
    return path


@pytest.fixture
def page(qtbot: Any, helper: Any, finished: Path) -> Any:
    session = Session()
    live = LivePage(session, helper)
    qtbot.addWidget(live)
    live.resize(1100, 700)
    live.show()
    session.open(finished)
    yield live
    session.close()


def drawn(page: LivePage) -> Callable[[], bool]:
    return lambda: all(plot.empty_text == "" for plot in page.plots)


def test_without_a_document_every_plot_says_what_to_do(qtbot: Any, helper: Any) -> None:
    page = LivePage(Session(), helper)
    qtbot.addWidget(page)
    assert all(plot.empty_text == NO_RUN for plot in page.plots)


def test_all_plots_draw_the_chosen_run(page: LivePage, qtbot: Any) -> None:
    qtbot.waitUntil(drawn(page), timeout=20_000)
    assert {plot.subject.run_id for plot in page.plots if plot.subject} == {2}


def test_all_plots_go_back_to_the_chosen_iteration(page: LivePage, qtbot: Any) -> None:
    page._session.choose_iteration(5)
    qtbot.waitUntil(
        lambda: all(plot.subject and plot.subject.iteration == 5 for plot in page.plots),
        timeout=20_000,
    )
    qtbot.waitUntil(drawn(page), timeout=20_000)


def test_another_run_is_followed_when_it_is_chosen(page: LivePage, qtbot: Any) -> None:
    page._session.choose_run(1)
    qtbot.waitUntil(
        lambda: all(plot.subject and plot.subject.run_id == 1 for plot in page.plots),
        timeout=20_000,
    )


def test_a_click_into_a_plot_chooses_the_iteration_for_all(page: LivePage, qtbot: Any) -> None:
    with qtbot.waitSignal(page._session.iteration_chosen) as chosen:
        page.plots[0].iteration_picked.emit(3)
    assert chosen.args == [3]


def test_the_arrangement_is_remembered(page: LivePage, qtbot: Any, helper: Any) -> None:
    page.docks[1].hide()
    page._save_arrangement()
    again = LivePage(Session(), helper)
    qtbot.addWidget(again)
    assert again.docks[1].isHidden()
    again.arrange()
    assert not again.docks[1].isHidden()
