"""The data page: layout and actions."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.data.read_options import ReadOptions
from studio.data.splits import SplitPlan
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.data.finding_display import describe_size
from studio.gui.pages.data.page import DataPage
from studio.gui.pages.run.settings import RunSettingsForm
from studio.gui.session.session import Session
from tests.facts import contains_facts
from tests.gui.previews import column, preview

pytestmark = pytest.mark.slow


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
    qtbot.waitUntil(lambda: not window.data.busy)


def write_skewed_table(folder: Path) -> Path:
    path = folder / "skewed.csv"
    lines = (f"{i * 0.5},{i % 7},{'yes' if i % 12 == 0 else 'no'}\n" for i in range(120))
    path.write_text("a,b,y\n" + "".join(lines), "utf-8")
    return path


def test_suggested_metric_can_be_used_and_reverted(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    history = window.run.history
    read(window, write_skewed_table(tmp_path), qtbot)
    advice = window.page.target.remedy
    assert contains_facts(advice.advice_label.text(), "✓", "“Log loss”")
    assert not advice.use_advice_button.isVisible() and not advice.back_button.isVisible(), (
        "best does so by itself"
    )
    window.run.change(method="EO-sig")
    assert advice.use_advice_button.isVisible() and not advice.back_button.isVisible()
    advice.use_advice_button.click()
    assert window.run.draft.make_settings("binary", None, SplitPlan()).metric == "log-loss"
    assert contains_facts(advice.advice_label.text(), "✓", "“Log loss”")
    history.undo()
    assert advice.use_advice_button.isVisible()
    history.redo()
    advice.back_button.click()
    assert window.run.draft.metric is None
    assert advice.use_advice_button.isVisible()
    window.run.change(metric="brier")  # the user's choice is not questioned
    assert not advice.isVisible()


def test_run_page_shows_default_metric_of_table(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    form = RunSettingsForm(window.run, window.data, window.advice)
    qtbot.addWidget(form)
    read(window, write_skewed_table(tmp_path), qtbot)
    for method, title, has_rarity_note in (
        ("best", "Log loss", True),
        ("EO-sig", "Error rate", False),
    ):
        window.run.change(method=method)
        form.show_draft()
        assert form.metric_choice.currentText() == title
        form_text = "\n".join(each.text() for each in form.findChildren(QLabel))
        assert ("classes is rare" in form_text) == has_rarity_note
    window.run.change(method="best", metric="error")
    form.show_draft()
    assert form.metric_choice.currentText() == "Error rate", "the choice is kept"


def test_classification_metric_is_not_offered_for_regression(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, write_skewed_table(tmp_path), qtbot)
    window.page.target.remedy.use_advice_button.click()
    window.data.set_role("a", "target")
    qtbot.waitUntil(lambda: not window.data.busy)
    assert not window.page.target.remedy.isVisible()
    assert window.run.draft.make_settings("regression", None, SplitPlan()).metric is None


def test_unreadable_file_clears_previous_preview(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    page = window.page
    read(window, write_skewed_table(tmp_path), qtbot)
    assert page.target.isVisible() and page.tables.isVisible() and page.split_card.isVisible()
    broken = tmp_path / "broken.csv"
    broken.write_bytes(bytes(range(256)) * 40)
    read(window, broken, qtbot)
    assert window.data.error
    assert not page.target.isVisible()
    assert not page.tables.isVisible()
    assert not page.split_card.isVisible()
    read(window, write_skewed_table(tmp_path), qtbot)
    assert page.target.isVisible() and page.tables.isVisible()


@pytest.mark.parametrize("is_readable", [True, False])
def test_findings_disappear_while_another_table_is_read(
    window: SimpleNamespace, helper: Any, tmp_path: Path, qtbot: QtBot, is_readable: bool
) -> None:
    page = window.page
    read(window, write_odd_table(tmp_path), qtbot)
    assert page.settled.isVisible()
    other = write_skewed_table(tmp_path)
    if not is_readable:
        other.write_bytes(bytes(range(256)) * 40)
    helper.held = True
    window.data.open_file(other)
    assert window.data.busy and not page.settled.isVisible()
    page.resize(1000, 720)
    assert not page.settled.isVisible()
    helper.held = False
    helper.release()
    qtbot.waitUntil(lambda: not window.data.busy)
    assert bool(window.data.error) != is_readable and not page.settled.isVisible()
    read(window, write_odd_table(tmp_path), qtbot)
    assert page.settled.isVisible()


def test_table_size_is_shown_once_per_reading(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, write_skewed_table(tmp_path), qtbot)
    resets: list[None] = []
    window.page.table.preview.modelReset.connect(lambda: resets.append(None))
    window.data.change(plan=SplitPlan(0.5, 0.2, 0.3))
    window.data.change(title="another name")
    assert not resets
    window.data.set_role("b", "ignore")
    qtbot.waitUntil(lambda: not window.data.busy)
    assert len(resets) == 1
    assert window.page.table.header.columns[1].role == "ignore"


def test_sheet_name_of_workbook_is_shown() -> None:
    one = preview(
        column("a"),
        column("y", role="target"),
        n_rows=12,
        rows=((),) * 12,
        options=ReadOptions(sheet="May"),
        sheets=("May",),
    )
    assert describe_size(one).startswith("12 rows · 2 columns, 1 ")
    assert (
        describe_size(replace(one, sheets=("April", "May")))
        == f"sheet “May” · {describe_size(one)}"
    )


def test_long_note_is_not_truncated(window: SimpleNamespace, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "t.csv"
    lines = (
        f"{1 + i % 12:02d}/{1 + 7 * i % 12:02d}/2024,{i % 5},{'yn'[i % 2]}\n" for i in range(60)
    )
    path.write_text("a,b,y\n" + "".join(lines), "utf-8")
    read(window, path, qtbot)
    page = window.page
    button = page.first.next_button
    letters = button.fontMetrics().horizontalAdvance(button.text())
    assert button.width() >= letters + 20, "a press beside the letters counts"
    button.click()
    notes = page.first.findChildren(QLabel)
    note = next(each for each in notes if each.text().startswith("a: It seems to contain dates"))
    line = page.fontMetrics().height()
    qtbot.waitUntil(lambda: note.height() >= 2 * line)  # it is wrapped and fully visible
    qtbot.waitUntil(lambda: note.visibleRegion().boundingRect() == note.rect())


def write_odd_table(folder: Path) -> Path:
    path = folder / "odd.csv"
    lines = (
        f"{715897 if i == 7 else 4000 + i % 90},{(37 * i) % 7000:05d},{'yn'[i % 3 == 0]}\n"
        for i in range(120)
    )
    path.write_text("pay,score,y\n" + "".join(lines), "utf-8")
    return path


def press(window: SimpleNamespace, qtbot: QtBot, name: str) -> None:
    """Press a button by its accessible name, and wait for the table."""

    def find_buttons() -> list[QPushButton]:
        buttons = [
            *window.page.first.findChildren(QPushButton),
            *window.page.settled.findChildren(QPushButton),
        ]
        return [each for each in buttons if each.accessibleName() == name and each.isVisible()]

    qtbot.waitUntil(lambda: len(find_buttons()) == 1)
    qtbot.mouseClick(find_buttons()[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.data.busy)


def get_column(window: SimpleNamespace, name: str) -> Any:
    return next(each for each in window.data.draft.preview.columns if each.name == name)


def test_finding_is_resolved_by_button_and_undone(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    history = window.data.history
    read(window, write_odd_table(tmp_path), qtbot)
    window.page.settled.ideas_fold.header_button.click()
    label_texts = [each.text() for each in window.page.settled.findChildren(QLabel)]
    assert any(contains_facts(each, "715,897 → 4,089", "1 value missing") for each in label_texts)
    assert any(each.startswith("pay: 1 value (715,897) ") for each in label_texts)
    press(window, qtbot, "pay: Treat as missing")
    assert window.data.draft.table is None
    assert (get_column(window, "pay").maximum, get_column(window, "pay").missing) == (4089.0, 1)
    assert contains_facts(get_column(window, "pay").warnings[0], "715,897 (1 row)", "missing")
    history.undo()
    qtbot.waitUntil(lambda: not window.data.busy)
    assert get_column(window, "pay").maximum == 715_897.0
    press(window, qtbot, "pay: Limit to 4,089")
    assert window.data.draft.treatments == {"pay": "limit ..4089"}
    window.page.settled.handled_fold.header_button.click()
    press(window, qtbot, "pay: Undo")
    assert window.data.draft.treatments == {}


def test_zero_padded_digits_become_numbers_with_note(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, write_odd_table(tmp_path), qtbot)
    assert get_column(window, "score").kind == "category"
    window.page.settled.ideas_fold.header_button.click()
    press(window, qtbot, "score: Read as numbers")
    score_column = get_column(window, "score")
    assert (score_column.kind, score_column.role, score_column.minimum) == (
        "number",
        "feature",
        0.0,
    )
    assert not score_column.findings


def test_selected_column_shows_details(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, write_odd_table(tmp_path), qtbot)
    page = window.page

    def list_panel_texts() -> set[str]:
        return {each.text() for each in page.panel.findChildren(QLabel) if each.isVisible()}

    page.tabs.setCurrentIndex(1)
    table = page.columns.table
    where = table.visualRect(table.model().index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    qtbot.waitUntil(lambda: "Analysing the column…" not in list_panel_texts())
    assert page.panel.isVisible() and not page.target.isVisible()
    assert page.panel.title_label.text() == "pay"

    expected_texts = ("Every non-missing", "715,897", "class of y")
    qtbot.waitUntil(
        lambda: all(any(each in text for text in list_panel_texts()) for each in expected_texts)
    )
    window.data.set_role("score", "target")  # the panel follows the selection elsewhere
    busy = "Analysing the column…"
    qtbot.waitUntil(lambda: not window.data.busy and busy not in list_panel_texts())
    close = next(
        each
        for each in page.panel.findChildren(QPushButton)
        if each.accessibleName() == "Close the column"
    )
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert page.target.isVisible()
    assert not page.panel.column


def test_automatic_split_is_described_until_changed(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    split, card = window.page.split, window.page.split_card
    assert not split.isVisibleTo(card), "collapsed by default"
    card.header_button.click()
    assert split.isVisibleTo(card)
    read(window, write_skewed_table(tmp_path), qtbot)
    qtbot.waitUntil(lambda: bool(window.advice.division))
    assert contains_facts(split.note_label.text(), "8 folds", "time allows", "24 rows ", " test.")
    split.preset.activated.emit(split.preset.findText("Custom split"))
    assert not window.data.draft.advised
    assert window.data.draft.plan.folds == 8
    assert split.edits["folds"].isVisibleTo(split)
    split.preset.activated.emit(0)
    assert window.data.draft.advised
    window.run.change(method="RS")
    assert not any(
        "program" in split.preset.itemText(index) for index in range(split.preset.count())
    )


def test_button_reads_table_of_document(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    table, session, page = write_skewed_table(tmp_path), window.session, window.page
    document = session.path
    session.set_note("window.data", DataDraft.for_file(table).to_json())
    session.close()
    session.open(document)
    assert page.read_button.isVisible() and not window.data.busy
    assert not page.reading.isVisible(), "of a file that was not read"
    assert str(table) in page._state_text_label.text()
    qtbot.mouseClick(page.read_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.data.is_ready and not window.data.busy)
    assert not page.read_button.isVisible() and not page._state.isVisible()
    assert table.parent.name in page._facts_label.text()
    assert str(table) in page._facts_label.toolTip(), "it names its source"


def test_column_panel_shows_and_changes_reading(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;when;y\n" + "1.234;01/02/2024;u\n2.345;03/04/2024;v\n" * 4, "utf-8")
    read(window, path, qtbot)
    press(window, qtbot, "a: Read as thousands")
    assert get_column(window, "a").maximum == 2345.0
    window.page.choose_column("a")
    reading = window.page.panel.reading
    assert reading.format_label.text() == "Numbers: 1.234"
    assert (reading.marks.isVisible(), reading.marks.currentText()) == (True, "1.234,5")
    reading.marks.activated.emit(0)
    qtbot.waitUntil(lambda: not window.data.busy)
    assert window.data.draft.options == {}
    assert reading.format_label.text() == "Numbers, decimal point: 1234.5"
    window.page.first.next_button.click()
    press(window, qtbot, "when: Month first")
    assert get_column(window, "when").kind == "date"


def write_leaking_table(folder: Path) -> Path:
    path = folder / "leaking.csv"
    lines = (
        f"C-{i:04d},{i * 7 % 31},{('basic', 'Basic', 'plus')[i * 7 % 5 % 3]},"
        f"{f'2024-02-{1 + i % 28:02d}' if i % 3 == 0 else ''},{'yes' if i % 3 == 0 else 'no'}\n"
        for i in range(90)
    )
    path.write_text("id,age,plan,closed,churn\n" + "".join(lines), "utf-8")
    return path


@pytest.mark.parametrize("height", [407, 483])
def test_finding_leaves_space_for_rows_on_small_page(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot, height: int
) -> None:
    page, first, table = window.page, window.page.first, window.page.table
    page.resize(823, height)  # in a window of 880 × 464 or 540 (1366 × 768 at 150 %)
    table_path = write_leaking_table(tmp_path)
    long_name = "date on which the contract with the customer was closed"
    table_path.write_text(table_path.read_text("utf-8").replace("closed", long_name), "utf-8")
    read(window, table_path, qtbot)

    def is_whole(label: QLabel) -> bool:
        return label.height() >= label.heightForWidth(label.width())

    qtbot.waitUntil(lambda: all(map(is_whole, first.finding.findChildren(QLabel))))
    qtbot.waitUntil(lambda: table.viewport().height() >= 3 * table.rowHeight(0))
    corner = first.mapTo(page, first.rect().bottomLeft())
    assert corner.y() < page.tables.y() and first.height() >= first.minimumSizeHint().height()
    assert not page.settled.isVisible()
    page.resize(1100, 700)
    assert page.settled.isVisible()


def test_suggestions_leave_four_rows_on_small_page(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    page, table = window.page, window.page.table
    page.resize(823, 483)  # in a window of 880 × 540 (1366 × 768 at 150 %)
    path = tmp_path / "ideas.csv"
    lines = (f"C-{i:04d},{i * 7 % 31},{'yes' if i % 3 == 0 else 'no'}\n" for i in range(90))
    path.write_text("id,age,churn\n" + "".join(lines), "utf-8")
    read(window, path, qtbot)
    fold = page.settled.handled_fold
    fold.header_button.setChecked(False)
    fold.header_button.setChecked(True)
    qtbot.waitUntil(lambda: table.viewport().height() >= 4 * table.rowHeight(0))
    assert page.settled.isVisible()
    fold.header_button.setChecked(False)


def test_double_press_on_fold_does_not_press_button_moved_beneath(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "ids.csv"
    lines = (f"C-{i:04d},{i * 7 % 31},{'yes' if i % 3 == 0 else 'no'}\n" for i in range(90))
    path.write_text("id,age,churn\n" + "".join(lines), "utf-8")
    read(window, path, qtbot)
    fold = window.page.settled.handled_fold
    qtbot.mouseClick(fold.header_button, Qt.MouseButton.LeftButton)
    (use_it,) = [each for each in fold.findChildren(QPushButton) if each.text() == "Use it"]
    qtbot.waitUntil(use_it.isVisible)
    for kind in (QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease):
        middle = use_it.rect().center().toPointF()
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        on_screen = use_it.mapToGlobal(middle)
        QApplication.sendEvent(use_it, QMouseEvent(kind, middle, on_screen, left, left, none))
    assert window.data.draft.roles == {}
    fold.header_button.setChecked(False)
    qtbot.mouseDClick(fold.header_button, Qt.MouseButton.LeftButton)
    assert not fold.is_open, "a double press on one button is two presses"


def test_decision_does_not_scroll_list_of_handled_findings(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, write_leaking_table(tmp_path), qtbot)
    page, settled = window.page, window.page.settled
    settled.handled_fold.header_button.setChecked(True)
    press(window, qtbot, "closed: Keep: it is known beforehand")
    qtbot.waitUntil(lambda: not page.first.next_button.isVisible())
    stolen: list[bool] = []
    app = QApplication.instance()
    assert isinstance(app, QApplication)

    def record_focus(_: object, new: object) -> None:
        stolen.append(isinstance(new, QWidget) and settled.isAncestorOf(new))

    app.focusChanged.connect(record_focus)
    page.first.findChildren(QPushButton)[-1].setFocus()
    press(window, qtbot, "plan: Merge them")
    qtbot.waitUntil(lambda: not page.first.isVisible() and page.focusWidget() is page.tabs)
    qtbot.wait(50)
    app.focusChanged.disconnect(record_focus)
    assert page.focusWidget() is page.tabs
    assert not any(stolen)
    assert settled.done.verticalScrollBar().value() == 0
    settled.handled_fold.header_button.setChecked(False)


def test_open_findings_are_shown_one_at_a_time(
    window: SimpleNamespace, tmp_path: Path, qtbot: QtBot
) -> None:
    history = window.data.history
    read(window, write_leaking_table(tmp_path), qtbot)
    first, settled = window.page.first, window.page.settled

    def list_label_texts(part: Any) -> list[str]:
        return [each.text() for each in part.findChildren(QLabel) if each.isVisible()]

    assert "1 of 2" in list_label_texts(first)
    assert any(each.startswith("“closed” already contains") for each in list_label_texts(first))
    assert any(contains_facts(each, "1 column ", "1 note") for each in list_label_texts(settled))
    press(window, qtbot, "closed: Keep: it is known beforehand")
    assert window.data.draft.kept == (("leak", "closed"),)
    qtbot.waitUntil(lambda: any(each.startswith("plan: ") for each in list_label_texts(first)))
    assert "1 of 1" not in list_label_texts(first)
    first.findChildren(QPushButton)[-1].setFocus()
    press(window, qtbot, "plan: Merge them")
    qtbot.waitUntil(lambda: not first.isVisible())
    qtbot.waitUntil(lambda: window.page.focusWidget() is window.page.tabs)
    assert any(
        contains_facts(each, "1 column ", "1 note", "2 decided")
        for each in list_label_texts(settled)
    )
    settled.handled_fold.header_button.click()
    qtbot.waitUntil(
        lambda: any(each.endswith("You kept it unchanged.") for each in list_label_texts(settled))
    )
    settled.ideas_fold.header_button.click()
    assert not settled.handled_fold.is_open, "one list at a time"
    settled.handled_fold.header_button.click()
    press(window, qtbot, "closed: Undo")
    assert first.isVisible() and window.data.draft.kept == ()
    history.undo()
    assert window.data.draft.kept == (("leak", "closed"),)
    press(window, qtbot, "plan: Undo")
    qtbot.waitUntil(lambda: any(each.startswith("plan: ") for each in list_label_texts(first)))
