"""A real study from the page: started, killed, gone on with, extended; and the same in one go."""

from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from studio.compare.keep import keep_study
from studio.compare.launch import start_conductor
from studio.document.store import Document
from studio.gui.pages.compare.entries import of_file
from studio.gui.pages.compare.page import ComparePage
from studio.gui.session.session import Session

pytestmark = pytest.mark.slow

LONG = 300_000


def tables(page: ComparePage) -> dict[str, list[list[str]]]:
    """Return the errors and ranks; times differ each time."""
    found = page.model.results.tables
    return {
        key: [[cell.plain for cell in row] for row in found[key].rows]
        for key in ("errors", "ranks", "wins", "pairs")
    }


def set_up(page: ComparePage, table: Path) -> None:
    page.setup.add([of_file(table)])
    for name in ("RS", "RS-post"):
        entry = {"name": name, "method": name, "set": {}}
        page.setup.take(page.setup.draft.with_method(entry, True))
    page.setup.change(budget=3, repetitions=1, spaces=("svm-rbf",), trial_seconds=30.0, workers=1)


def wait_for_end(page: ComparePage, qtbot: QtBot, cells: int) -> None:
    def over() -> bool:
        page.model.look()
        return not page.model.alive and page.model.grid.count("finished") == cells

    qtbot.waitUntil(over, timeout=LONG)


def wait_for_results(page: ComparePage, qtbot: QtBot, cells: int) -> None:
    def thorough() -> bool:
        page.model.look()
        found = page.model.results
        return found.finished == cells and "probability-over-iterations" in found.diagrams

    qtbot.waitUntil(thorough, timeout=LONG)


def runs(page: ComparePage, session: Session) -> dict[str, int]:
    return {run.row.name: run.row.id for run in session.runs.views}


def test_a_study_is_started_killed_gone_on_with_and_extended(
    page: ComparePage,
    table: Path,
    qtbot: QtBot,
    tmp_path: Path,
    session: Session,
) -> None:
    page.resize(1000, 700)
    page.show()
    set_up(page, table)
    # What it shall come to, in one go in another document, two runs at the same time.
    whole = tmp_path / "whole.studio"
    Document.create(whole).close()
    keep_study(whole, page.setup.draft.changed(repetitions=2).to_study())
    other = start_conductor(whole, 2)

    assert page.form.start_button.isEnabled()
    page.form.start_button.click()

    def one_cell() -> bool:
        page.model.look()
        return page.model.grid.count("finished") >= 1

    qtbot.waitUntil(one_cell, timeout=LONG)
    assert page._layers.currentWidget() is page.study
    assert page.model._process is not None
    psutil.Process(page.model._process.pid).kill()

    def dead() -> bool:
        page.model.look()
        return not page.model.alive

    qtbot.waitUntil(dead, timeout=LONG)
    assert any(run.row.state == "finished" for run in session.runs.views)
    assert not page.study.stop_button.isVisibleTo(page)
    assert page.study.go_button.isVisibleTo(page)
    page.study.go_button.click()
    wait_for_end(page, qtbot, 2)

    before = runs(page)
    page.model.extend(repetitions=2)
    wait_for_end(page, qtbot, 4)
    after = runs(page)
    assert {name: after[name] for name in before} == before
    assert len(after) == 4
    assert session.shown.unfolded == [], "cells do not crowd the strip"
    wait_for_results(page, qtbot, 4)
    killed = tables(page)

    assert other.wait(LONG / 1000) == 0
    session.open(whole)
    wait_for_results(page, qtbot, 4)
    assert tables(page) == killed
