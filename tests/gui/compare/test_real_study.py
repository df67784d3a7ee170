"""A real study: started from the page, killed, continued and extended.

tests/compare/test_kills.py shows, without a window, that kills do not change a study.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from pytestqt.qtbot import QtBot

from studio.compare.coordinator import load_coordinator
from studio.compare.interim_results import InterimReader
from studio.compare.study_notes import StudyMethod
from studio.gui.pages.compare.draft import OPEN_SPACE
from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.compare.targets import make_data_entry_from_file
from studio.gui.session.session import Session
from studio.space import editing
from studio.space.library import load

pytestmark = pytest.mark.slow


def get_cell_texts(found: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Return the cell texts of the result tables."""
    return {
        key: [[cell.plain for cell in row] for row in found[key].rows]
        for key in ("errors", "differences")
    }


def set_up(page: ComparePage, table: Path) -> None:
    page.setup.add([make_data_entry_from_file(table)])
    for name in ("RS", "RS-post"):
        page.setup.set_draft(page.setup.draft.with_method(StudyMethod(name, name), True))
    # Methods with a common search finish together: with two repetitions, one remains.
    page.setup.change(budget=2, repetitions=2, spaces=(OPEN_SPACE,), trial_seconds=30.0, workers=1)


def wait_for_end(page: ComparePage, qtbot: QtBot, cells: int) -> None:
    def is_over() -> bool:
        page.model.poll()
        return not page.model.is_alive and page.model.grid.count("finished") == cells

    qtbot.waitUntil(is_over)


def wait_for_results(page: ComparePage, qtbot: QtBot, cells: int) -> None:
    def is_thorough() -> bool:
        page.model.poll()
        results = page.model.results
        return results.finished == cells and results.thorough

    qtbot.waitUntil(is_thorough)


def runs(session: Session) -> dict[str, int]:
    return {run.row.name: run.row.id for run in session.runs.views}


def test_study_of_edited_space_survives_kill_and_extension(
    page: ComparePage, table: Path, qtbot: QtBot, session: Session
) -> None:
    session.space.replace(load("svm-rbf"), "start")
    edited = editing.change(load("svm-rbf"), "rbf-svm.C", low=0.5, high=2.0, default=1.0)
    session.space.replace(edited, "edit")
    page.resize(1000, 700)
    page.show()
    set_up(page, table)
    assert page.form.start_button.isEnabled()
    page.form.start_button.click()
    session.space.replace(load("svm-rbf"), "edited while it runs")

    def one_cell() -> bool:
        page.model.poll()
        return page.model.grid.count("finished") >= 1

    qtbot.waitUntil(one_cell)
    assert page.study_view.isVisible()
    working = load_coordinator(session.document)
    assert working is not None
    psutil.Process(working.owner.pid).kill()

    def is_dead() -> bool:
        page.model.poll()
        return not page.model.is_alive

    qtbot.waitUntil(is_dead)
    assert any(run.row.state == "finished" for run in session.runs.views)
    assert not page.study_view.stop_button.isVisibleTo(page)
    assert page.study_view.continue_button.isVisibleTo(page)
    page.study_view.continue_button.click()
    wait_for_end(page, qtbot, 4)

    runs_before = runs(session)
    page.model.extend(repetitions=3)
    wait_for_end(page, qtbot, 6)
    after = runs(session)
    assert {name: after[name] for name in runs_before} == runs_before
    assert len(after) == 6
    assert session.run_selection.listed_runs == [], "cells do not crowd the strip"
    wait_for_results(page, qtbot, 6)
    assert session.path is not None
    so_far = InterimReader(session.path).read(thorough=True)
    assert get_cell_texts(page.model.results.tables) == get_cell_texts(so_far.tables)
    errors = [
        run.row.result.test_error_ensemble for run in session.runs.views if run.method == "RS-post"
    ]
    assert len(errors) == 3
    (row,) = (row for row in get_cell_texts(so_far.tables)["errors"] if row[0].startswith("tiny"))
    cell_text = row[2 + so_far.methods.index("RS-post")]
    assert float(cell_text.split()[0]) == pytest.approx(100 * sum(errors) / 3, abs=0.5)
    assert any("RBF kernel (edited)" in text for text in page.model.results.conclusions)
    for view in session.runs.views:
        for trial in session.document.trials.list_all(view.row.id):
            assert 0.5 <= float(trial.configuration["rbf-svm.C"]) <= 2.0
