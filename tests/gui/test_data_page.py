"""The data page as a whole: what stands where, and what a press changes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.data.read_options import ReadOptions
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.draft_history import DraftHistory
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.data.page import DataPage
from studio.gui.pages.data.words import facts
from studio.gui.session.session import Session
from tests.gui.previews import column, preview


@pytest.fixture
def window(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[SimpleNamespace]:
    session = Session()
    data, run = DataModel(session, helper), RunModel(session, helper)
    session.create(tmp_path / "d.studio")
    advice = AdviceModel(data, run, session, helper)
    page = DataPage(data, run, advice)
    qtbot.addWidget(page)
    page.resize(1100, 700)
    page.show()
    yield SimpleNamespace(session=session, data=data, run=run, page=page, advice=advice)
    session.close()


def read(window: SimpleNamespace, path: Path, qtbot: QtBot) -> None:
    window.data.open_file(path)
    qtbot.waitUntil(lambda: not window.data.busy, timeout=10_000)


def skewed(folder: Path) -> Path:
    path = folder / "skewed.csv"
    lines = (f"{i * 0.5},{i % 7},{'yes' if i % 12 == 0 else 'no'}\n" for i in range(120))
    path.write_text("a,b,y\n" + "".join(lines), "utf-8")
    return path


def test_the_metric_of_a_warning_can_be_used_and_taken_back(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    history = DraftHistory(window.run, window.session.document_changed)
    read(window, skewed(tmp_path), qtbot)
    advice = window.page.target.remedy
    assert advice.use.isVisible() and not advice.back.isVisible()
    advice.use.click()
    assert window.run.draft.settings("binary", None, {})["metric"] == "balanced-error"
    assert advice.words.text() == "✓ The next run optimises “Balanced error rate”."
    history.undo()
    assert advice.use.isVisible()
    history.redo()
    advice.back.click()
    assert window.run.draft.metric is None
    assert advice.use.isVisible()
    window.run.change(metric="log-loss")  # a choice of one's own is not argued with
    assert not advice.isVisible()


def test_a_metric_of_classes_is_not_asked_of_numbers(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, skewed(tmp_path), qtbot)
    window.page.target.remedy.use.click()
    window.data.set_role("a", "target")
    qtbot.waitUntil(lambda: not window.data.busy, timeout=10_000)
    assert not window.page.target.remedy.isVisible()
    assert window.run.draft.settings("regression", None, {})["metric"] is None


def test_a_file_that_cannot_be_read_leaves_nothing_of_the_one_before(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    page = window.page
    read(window, skewed(tmp_path), qtbot)
    assert page.target.isVisible() and page.tables.isVisible() and page.split_card.isVisible()
    broken = tmp_path / "broken.csv"
    broken.write_bytes(bytes(range(256)) * 40)
    read(window, broken, qtbot)
    assert window.data.error
    assert not page.target.isVisible()
    assert not page.tables.isVisible()
    assert not page.split_card.isVisible()
    read(window, skewed(tmp_path), qtbot)
    assert page.target.isVisible() and page.tables.isVisible()


def test_rows_and_columns_are_shown_once_for_each_reading(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, skewed(tmp_path), qtbot)
    resets: list[None] = []
    window.page.table.preview.modelReset.connect(lambda: resets.append(None))
    window.data.change(plan={**window.data.draft.plan, "test": 0.3, "train": 0.5})
    window.data.change(title="another name")
    assert not resets
    window.data.set_role("b", "ignore")
    qtbot.waitUntil(lambda: not window.data.busy, timeout=10_000)
    assert len(resets) == 1
    assert window.page.table.header.columns[1].role == "ignore"


def test_the_sheet_of_a_workbook_is_named_where_there_are_several() -> None:
    one = preview(
        column("a"),
        column("y", role="target"),
        n_rows=12,
        rows=((),) * 12,
        options=ReadOptions(sheet="May"),
        sheets=("May",),
    )
    assert facts(one) == "12 rows · 2 columns, 1 used to predict"
    assert (
        facts(replace(one, sheets=("April", "May")))
        == "sheet “May” · 12 rows · 2 columns, 1 used to predict"
    )


def test_a_long_note_is_not_cut(window: SimpleNamespace, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "t.csv"
    lines = (
        f"{1 + i % 12:02d}/{1 + 7 * i % 12:02d}/2024,{i % 5},{'yn'[i % 2]}\n" for i in range(60)
    )
    path.write_text("a,b,y\n" + "".join(lines), "utf-8")
    read(window, path, qtbot)
    page = window.page
    assert {page.notes.item(row).text()[:2] for row in range(page.notes.count())} == {"a:"}
    line = page.fontMetrics().height()
    qtbot.waitUntil(lambda: page.notes.visualItemRect(page.notes.item(0)).height() > 2 * line)
    whole = page.notes.visualItemRect(page.notes.item(0))
    qtbot.waitUntil(lambda: page.notes.viewport().rect().contains(whole))


def test_the_division_is_the_programs_and_says_so_until_it_is_changed(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    split = window.page.split
    read(window, skewed(tmp_path), qtbot)
    qtbot.waitUntil(lambda: bool(window.advice.division), timeout=10_000)
    assert split.note.text() == (
        "8 folds, because there is time for them and their models together predict better than "
        "one. 24 rows are kept for the test."
    )
    split.by_hand.click()
    assert not window.data.draft.advised
    assert window.data.draft.plan["folds"] == 8
    assert split.edits["folds"].isVisibleTo(split)
    split.preset.activated.emit(0)
    assert window.data.draft.advised
    window.run.change(method="RS")
    assert not split.by_hand.isVisibleTo(split)
