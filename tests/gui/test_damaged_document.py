"""Documents with one damaged record: the window names it and shows the rest."""

import contextlib
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio import language
from studio.document.damage import BACKUP_ADVICE
from studio.document.store import Document
from studio.gui.base.localisation import set_languages
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import get_default

pytestmark = pytest.mark.slow

BUDGET = 8


@pytest.fixture(scope="module")
def intact_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a document of two runs with a surrogate."""
    folder = tmp_path_factory.mktemp("whole")
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yn'[int(a + b > 0)]}" for a, b in rng.normal(size=(80, 2))]
    table, path = folder / "t.csv", folder / "whole.studio"
    table.write_text("\n".join(["a,b,target", *lines]))
    settings = RunSettings(
        method="BO-post", budget=BUDGET, workers=1, refit=False, source=TableSource(path=str(table))
    )
    with Document.create(path) as document:
        document.spaces.save("main", get_default("binary").to_json())
        for name in ("one", "two"):
            run = document.runs.add(name, settings.to_json())
            document.journal.add_message(run, "info", "It begins.")
            Engine(document, run, lambda progress: None, InlinePool).execute_run()
    return path


DAMAGES: tuple[tuple[str, str, list[int], bool], ...] = (
    ("UPDATE trials SET body = 'x' WHERE run = 2 AND number = 4", "trial 2 4", [1, 2], True),
    ("DELETE FROM trials WHERE run = 2 AND number = 1", "trial 2 1", [1, 2], True),
    ("UPDATE runs SET body = 'x' WHERE id = 2", "run 2", [1], False),
    ("UPDATE runs SET status = 'x' WHERE id = 2", "status 2", [1, 2], False),
    ("UPDATE spaces SET body = 'x'", "space", [1, 2], False),
    ("UPDATE messages SET body = 'x' WHERE run = 2", "message", [1, 2], False),
    ("UPDATE data SET body = 'x' WHERE id = 2", "", [1, 2], True),
    ("UPDATE blocks SET crc = 1 WHERE id >> 20 > 12", "", [1, 2], True),
)
"""Damage of a document, the record in the message, the remaining runs, and whether their plots are
checked."""


def test_pages_show_damaged_document(
    intact_document: Path, tmp_path: Path, qtbot: QtBot, helper: Any, subtests: Any
) -> None:
    # One window for all documents, as its construction takes most of the time.
    session = Session()
    window = MainWindow(session, helper)
    qtbot.addWidget(window, before_close_func=lambda _: session.close())
    window.show()
    for number, (damage, record, runs, plots) in enumerate(DAMAGES):
        path = Path(shutil.copyfile(intact_document, tmp_path / f"{number}.studio"))
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(damage).rowcount
        with subtests.test(damage):
            _check_pages(window, path, record, runs, qtbot)
            if plots:
                _check_plots(window, qtbot)


def test_damage_is_reported_in_the_language_of_the_window(
    intact_document: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copyfile(intact_document, tmp_path / "w.studio"))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("UPDATE spaces SET body = 'x'").rowcount
    session = Session()
    errors: list[str] = []
    session.failed.connect(errors.append)
    set_languages("fr")
    try:
        session.open(path)
        assert len(errors) == 1
        french_advice = language.translate(BACKUP_ADVICE)
        assert french_advice != BACKUP_ADVICE
        assert errors[0].endswith(french_advice)
    finally:
        set_languages(language.ENGLISH)
        session.close()


def _check_pages(
    window: MainWindow, path: Path, record: str, runs: list[int], qtbot: QtBot
) -> None:
    """Open a document, check the reported damage, and show every page of every run."""
    window.opening.open_path(path)
    session = window.session
    # `isVisible` is false for a banner in a window that is not exposed yet.
    assert window.banner.isHidden() is (record == "")
    assert record in window.banner.text_label.text()
    assert [view.row.id for view in session.runs.views] == runs
    for run in reversed(runs):
        session.run_selection.choose_run(run)
        assert len(session.runs.get_view(run).trials) == BUDGET
        for page in ("data", "space", "run", "live", "compare", "results"):
            window.show_page(page)
            qtbot.wait(20)


def _check_plots(window: MainWindow, qtbot: QtBot) -> None:
    """Show every plot of the second run, live and at early iterations."""
    window.session.run_selection.choose_run(2)
    window.show_page("live")
    live = window.get_page_widget("live")
    assert isinstance(live, LivePage)
    for plot in REGISTRY:
        live.area.open(plot.key)
        for iteration in (1, 4, None):
            window.session.run_selection.choose_iteration(iteration)
            qtbot.wait(5)
