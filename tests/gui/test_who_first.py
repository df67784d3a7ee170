"""*Who first?*: the view on a small real run."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import ExpectedOutcome
from studio.analysis.selected_rows_text import describe_outcome, explain_sum
from studio.document.decision import Decision
from studio.document.store import Document
from studio.export.predict import predict_table
from studio.gui.base import command_job, known_tables
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.one_row import OneRowView
from studio.gui.pages.results.views.ranked_rows import SEARCH_DELAY_MS, RankedRowsView
from studio.gui.pages.results.who_first.reasons import ReasonsCard, explain_missing_reasons
from studio.gui.pages.results.who_first.rows import LoadedPredictions
from studio.gui.pages.results.who_first.stored_predictions import StoredPredictions
from studio.gui.plots.base.helper_requests import HelperRequesterFactory, Query
from studio.gui.session.session import Session
from studio.helper.predicted_rows import load_predictions, store_predictions
from studio.helper.tables import FileFit
from studio.language import ntr, tr, translate
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.prepare import CLASSES_WEIGHTED
from studio.runs.settings import RunSettings, TableSource
from tests.facts import contains_facts
from tests.gui.visible_content import get_visible_text, pick, press
from tests.results import make_result
from tests.small_runs import ROWS, small_table  # noqa: F401

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def predicted(
    small_table: Path,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, LoadedPredictions]:
    folder = tmp_path_factory.mktemp("runs")
    path, new = folder / "work.studio", folder / "new.csv"
    lines = small_table.read_text().splitlines()
    new.write_text("\n".join(line.rpartition(",")[0] for line in lines))
    settings = RunSettings(
        method="RS-ES", budget=6, workers=1, source=TableSource(path=str(small_table))
    )
    with Document.create(path) as document:
        run_id = document.runs.add("run", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
        store_predictions(predict_table(document, run_id, new, with_expected_outcome=True), folder)
    return path, LoadedPredictions(load_predictions(folder), folder, small_table)


@pytest.fixture
def page(
    predicted: tuple[Path, LoadedPredictions], helper: Any, qtbot: QtBot
) -> Iterator[ResultsPage]:
    session = Session()
    session.open(predicted[0])
    results_page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(results_page)
    results_page.resize(1300, 900)
    results_page.show()
    press(results_page, "Who first?")
    assert "new rows" in get_visible_text(results_page)
    results_page.predict_card.predicted.emit(predicted[1])
    yield results_page
    session.close()


AGAIN = """
import json, shutil, sys
shutil.copytree({kept!r}, sys.argv[sys.argv.index("--rows-folder") + 1], dirs_exist_ok=True)
print(json.dumps({{"rows": 90, "notes": []}}))
"""


@pytest.fixture
def opened(
    predicted: tuple[Path, LoadedPredictions], helper: Any, tmp_path: Path, qtbot: QtBot
) -> Iterator[Callable[[], ResultsPage]]:
    """Return a function that reopens a copy of the document at *Who first?*."""
    path = Path(shutil.copyfile(predicted[0], tmp_path / "work.studio"))
    session = Session()
    page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(page)
    page.show()

    def make() -> ResultsPage:
        session.close()
        session.open(path)
        press(page, "Who first?")
        return page

    yield make
    session.close()


def test_predictions_are_restored_when_document_is_reopened(
    opened: Callable[[], ResultsPage],
    predicted: tuple[Path, LoadedPredictions],
    helper: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    script = tmp_path / "program.py"
    script.write_text(AGAIN.format(kept=str(predicted[1].folder)), encoding="utf-8")
    monkeypatch.setattr(command_job, "make_studio_command", lambda: [sys.executable, str(script)])
    helper.replaced["check_table"] = lambda _: FileFit(90, sha256="a")
    page = opened()
    view = page.views.get_view(RankedRowsView)
    assert not view.begin_card.again_button.isVisibleTo(view)
    page.predict_card.check(predicted[1].table)
    qtbot.waitUntil(lambda: view.loaded_predictions is not None)
    view.count.setValue(7)
    pick(view.class_choice, 0)
    qtbot.wait(2 * SEARCH_DELAY_MS)
    remark = "2 categories were not seen in training."
    helper.replaced["check_table"] = lambda _: FileFit(
        90, (remark,), sha256="a", shows_differences=True
    )
    view = opened().views.get_view(RankedRowsView)
    qtbot.waitUntil(lambda: view.loaded_predictions is not None)
    assert view.order is not None
    assert (view.count.value(), view.order.positive_code) == (7, 0)
    view.count.setValue(8)
    qtbot.wait(2 * SEARCH_DELAY_MS)
    page.predict_card.check(predicted[1].table)
    # No table is requested while one is being read and predicted, and no click is needed.
    qtbot.waitUntil(lambda: view.loaded_predictions is None)
    while view.loaded_predictions is None:
        assert predicted[1].table.name in view.begin_card.progress_label.text()
        assert not view.begin_card.choose_button.isVisibleTo(view)
        qtbot.wait(20)
    assert view.remarks_label.text() == remark
    assert (view.count.value(), view.order.positive_code) == (8, 0), "also for another table"
    view.count.setValue(9)
    view.tools.session.close()
    qtbot.wait(2 * SEARCH_DELAY_MS)  # no request about a closed document


def test_tables_in_training_folder_are_offered(
    opened: Callable[[], ResultsPage],
    predicted: tuple[Path, LoadedPredictions],
    helper: Any,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    own = predicted[1].table
    header, *lines = own.read_text().splitlines()
    beside = own.with_name("next month.csv")
    new_lines = [",".join(f"{cell}1" for cell in line.split(",")) for line in lines]
    beside.write_text("\n".join([header.rpartition(",")[0], *new_lines]))
    rows = [header, *lines[:-3]]
    own.with_name("copy.csv").write_text("\n".join(rows))
    own.with_name("comma.csv").write_text("\n".join(rows).replace(",", ";").replace(".", ","))
    own.with_name("without target.csv").write_text(
        "\n".join(line.rpartition(",")[0] for line in rows)
    )
    own.with_name("unrelated.csv").write_text("one,two\n1,2\n")
    (own.parent / "folder.csv").mkdir()
    predicted_tables: list[Path] = []
    helper.replaced["check_table"] = lambda _: FileFit(90, sha256="a")
    view = opened().views.get_view(RankedRowsView)
    assert not view.begin_card.other_tables_box.isVisibleTo(view), "a document may name any file"
    known_tables.record_opened([str(own)])
    page = opened()
    view = page.views.get_view(RankedRowsView)
    monkeypatch.setattr(
        page.predict_card, "start", lambda: predicted_tables.append(page.predict_card._table)
    )
    qtbot.waitUntil(lambda: len(view.begin_card.other_tables_box.findChildren(QPushButton)) == 1)
    (button,) = view.begin_card.other_tables_box.findChildren(QPushButton)
    assert beside.name in button.text()
    button.click()
    qtbot.waitUntil(lambda: predicted_tables == [beside])


@pytest.mark.parametrize("state", ["changed", "gone", "another computer's"])
def test_missing_predicted_table_is_reported(
    opened: Callable[[], ResultsPage], helper: Any, tmp_path: Path, qtbot: QtBot, state: str
) -> None:
    table = tmp_path / "new.csv"
    if state != "gone":
        table.write_text("a\n1\n")
    if state != "another computer's":
        known_tables.record_opened([str(table)])
    helper.replaced["check_table"] = lambda _: FileFit(90, sha256="b")
    page = opened()
    view = page._session.run_selection.run
    assert view is not None
    StoredPredictions(str(table), "a").store(page._session, view.row.id)
    n_requests = len(helper.asked)
    page = opened()
    begin = page.views.get_view(RankedRowsView).begin_card
    if state == "another computer's":
        assert not [each for each, *_ in helper.asked[n_requests:] if each == "check_table"]
        assert table.name in begin.again_button.text()
        begin.again_button.click()
    qtbot.waitUntil(lambda: table.name in begin.missing_predictions_label.text())
    assert page.predict_card.predict_button.isHidden() == (state == "gone")
    assert not page.job_tracker.is_busy


def test_small_window_shows_six_table_rows(page: ResultsPage, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    assert view.loaded_predictions is not None and view.order is not None
    unlike = replace(
        view.order.rows, caution="They differ.", missing_columns_note="A column is missing."
    )
    page.predict_card.predicted.emit(replace(view.loaded_predictions, rows=unlike))
    qtbot.waitUntil(lambda: view.caution_label.text() == "They differ.")
    assert (
        view.class_choice.isVisible()
        and view.caution_label.isVisible()
        and not view.short_warning_label.isVisible()
    )
    page.resize(823, 483)  # in a window of 880 × 540
    qtbot.waitUntil(view.short_warning_label.isVisible)
    assert "A column is missing. They differ." in view.short_warning_label.text()
    assert not view.caution_label.isVisible() and not view.missing_columns_label.isVisible()
    table, area = view.table, view.area.viewport()
    six = QPoint(0, 6 * table.rowHeight(0))
    qtbot.waitUntil(lambda: table.viewport().mapTo(area, six).y() <= area.height())
    press(page, "Filter")
    assert view.class_choice.isVisible()
    press(page, "Details")
    assert view.caution_label.isVisible() and not view.short_warning_label.isVisible()


def test_note_on_probabilities_accompanies_expected_hits(page: ResultsPage, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    assert view.loaded_predictions is not None and view.order is not None
    weighted = replace(view.order.rows, probability_note=CLASSES_WEIGHTED)
    for rows in (weighted, replace(weighted, unseen_rows=None, no_estimate_reason="None.")):
        page.predict_card.predicted.emit(replace(view.loaded_predictions, rows=rows))
        qtbot.waitUntil(lambda: CLASSES_WEIGHTED in view.caution_label.text())
        assert (view.caution_label.text() == CLASSES_WEIGHTED) is (rows.unseen_rows is None)


def test_ten_rows_with_reasons_fit_laptop_screen(page: ResultsPage, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    assert view.loaded_predictions is not None and view.order is not None
    unlike = replace(view.order.rows, caution="They differ.")
    page.predict_card.predicted.emit(
        replace(view.loaded_predictions, rows=unlike, remarks=("A remark.",))
    )
    page.resize(1222, 692)  # in a window of 1366 × 768 with a title bar
    qtbot.waitUntil(view.short_warning_label.isVisible)
    table, area = view.table, view.area.viewport()
    assert table.viewport().height() >= 10 * table.rowHeight(0)
    reasons = view.reasons
    qtbot.waitUntil(lambda: reasons.mapTo(area, reasons.rect().bottomLeft()).y() <= area.height())
    assert view.class_choice.isVisible() and view.save_all_button.isVisible()
    assert not view.remarks_label.isVisible()
    press(page, "Details")
    assert view.remarks_label.isVisible() and view.another_button.isVisible()


def test_another_class_is_listed_from_its_first_row(page: ResultsPage, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    order, table = view.order, view.table
    assert order is not None
    qtbot.waitUntil(lambda: table.selected_row == order.order[0])
    pick(view.class_choice, 1 - order.positive_code)
    assert table.selected_row == order.order[0]
    assert table.verticalScrollBar().value() == 0


def test_saving_does_not_scroll(page: ResultsPage, tmp_path: Path, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    page.resize(1222, 420)
    bar = view.area.verticalScrollBar()
    qtbot.waitUntil(lambda: "•" in view.reasons.reasons_label.text())
    qtbot.wait(100)  # until the layout is settled
    assert bar.maximum() > 0
    view.save_chosen_button.setFocus()
    bar.setValue(bar.maximum())
    position = bar.value()
    view.save(tmp_path / "rows.csv", only_selected=True)
    assert bar.value() == position
    qtbot.waitUntil(lambda: "Saved" in view.saved.message_label.text())
    assert bar.value() == position


def test_long_warning_is_not_cut_in_short_window(page: ResultsPage, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    assert view.loaded_predictions is not None and view.order is not None
    unlike = replace(view.order.rows, caution=" ".join(["These rows differ from the others."] * 6))
    page.predict_card.predicted.emit(replace(view.loaded_predictions, rows=unlike))
    page.resize(1222, 692)
    label = view.short_warning_label
    qtbot.waitUntil(label.isVisible)
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    assert label.heightForWidth(label.width()) > label.fontMetrics().height(), "several lines"
    assert not view.source_label.isVisible()


@pytest.mark.parametrize("height", [692, 1000])
def test_sorting_and_saving_do_not_shift_layout(
    page: ResultsPage, tmp_path: Path, qtbot: QtBot, height: int
) -> None:
    view = page.views.get_view(RankedRowsView)
    page.resize(1222, height)
    qtbot.waitUntil(lambda: "•" in view.reasons.reasons_label.text())
    qtbot.waitUntil(lambda: "first 50 rows" in view.outcome_label.text())
    qtbot.wait(100)  # until the layout is settled

    def read_places() -> list[QRect]:
        shown = (view.outcome_label, view.table, view.reasons, view.save_chosen_button)
        return [QRect(each.mapTo(page, QPoint()), each.size()) for each in shown]

    before = read_places()
    view.table.sort_requested.emit(3, False)
    warning = view.caution_label if height == 1000 else view.short_warning_label
    qtbot.waitUntil(warning.isVisible)
    qtbot.wait(100)
    assert read_places()[1:] == before[1:]
    view.save(tmp_path / "rows.csv", only_selected=True)
    qtbot.waitUntil(lambda: "Saved" in view.saved.message_label.text())
    qtbot.wait(100)
    assert view.saved.show_folder_button.isVisible()
    assert read_places()[1:] == before[1:]


def test_second_save_waits_for_first(
    page: ResultsPage, qtbot: QtBot, helper: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = page.views.get_view(RankedRowsView)
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: asked.append("") or ("", ""))
    helper.holds_replies = True
    view.save(tmp_path / "rows.csv", only_selected=True)
    view.save_all_button.click()
    assert not asked and "rows.csv" in view.saved.message_label.text()
    helper.holds_replies = False
    helper.release()
    assert "✓" in view.saved.message_label.text() and (tmp_path / "rows.csv").exists()
    view.save_all_button.click()
    assert asked


def test_expected_outcome_follows_capacity(page: ResultsPage, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    order = view.order
    assert order is not None
    label = order.rows.classes[order.positive_code]
    qtbot.waitUntil(lambda: "first 50 rows" in view.outcome_label.text())
    assert f"be “{label}”" in view.outcome_label.text()
    view.count.setValue(10)
    qtbot.waitUntil(lambda: "first 10 rows" in view.outcome_label.text())
    assert order.count == 10
    assert not view.caution_label.isVisibleTo(view)
    assert "first 10 rows" in view.save_chosen_button.text()
    assert view.save_all_button.text() == f"Save all {ROWS} rows…"
    view.search.setText("green")
    qtbot.waitUntil(lambda: view.caution_label.isVisibleTo(view))
    assert view.save_all_button.text().startswith("Save the ")
    view.search.setText("purple")
    qtbot.waitUntil(lambda: view.outcome_label.text().startswith("No row"))
    assert not view.save_chosen_button.isEnabled()
    view.search.setText("")
    other = 1 - order.positive_code
    pick(view.class_choice, other)
    qtbot.waitUntil(lambda: f"be “{order.rows.classes[other]}”" in view.outcome_label.text())
    assert view.loaded_predictions is not None
    assert not view.missing_columns_label.isVisibleTo(view)
    unlike = replace(
        order.rows, caution="They differ.", missing_columns_note="A column is missing."
    )
    page.predict_card.predicted.emit(replace(view.loaded_predictions, rows=unlike))
    qtbot.waitUntil(lambda: view.caution_label.text() == "They differ.")
    assert view.missing_columns_label.isVisibleTo(view)
    assert view.missing_columns_label.text() == "A column is missing."
    labels = view.missing_columns_label, view.outcome_label, view.caution_label
    heights = [each.mapTo(view, QPoint()).y() for each in labels]
    assert heights == sorted(heights)
    alone = replace(
        view.loaded_predictions,
        rows=replace(order.rows, unseen_rows=None, no_estimate_reason="Not known."),
    )
    page.predict_card.predicted.emit(alone)
    assert view.outcome_label.text() == "Not known."
    assert not view.no_forecast.isVisibleTo(view)
    empty = replace(alone.rows, no_estimate_reason="No forecast.", deciding_columns=("colour",))
    exclusions: list[object] = []
    view.exclusion_requested.connect(exclusions.append)
    page.predict_card.predicted.emit(replace(alone, rows=empty))
    assert view.no_forecast.get_text() == "No forecast." and not view.outcome_label.isVisibleTo(
        view
    )
    view.no_forecast.button.click()
    assert exclusions == [("colour",)]
    page.predict_card.predicted.emit(None)
    assert "of new rows" in get_visible_text(page)


def test_ranked_rows_show_table_and_order(
    page: ResultsPage, predicted: tuple[Path, LoadedPredictions], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = page.views.get_view(RankedRowsView)
    order, predictions = view.order, predicted[1]
    dialog_calls: list[object] = []
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *each, **_: (dialog_calls.append(each), ("", ""))[1]
    )
    assert order is not None
    rows = ntr("{name}: {count} row", "{name}: {count} rows", ROWS, name=predictions.table.name)
    label = order.rows.classes[order.positive_code]
    first = tr("{rows}, most probable “{label}” first", rows=rows, label=label)
    assert view.source_label.text() == first
    view.table.sort_requested.emit(0, False)
    assert view.source_label.text() == rows, "in another order"
    assert view.another_button.isVisibleTo(view)
    view.another_button.click()
    assert dialog_calls
    page.predict_card.predicted.emit(None)
    run = page._session.run_selection.run
    assert run is not None
    source = run.settings.source
    needs = view.begin_card.required_columns_label
    assert needs.isVisibleTo(view)
    assert contains_facts(needs.text(), Path(source.path).name, f"“{source.target}”")


def test_deviation_of_probability_sum_is_explained_separately(
    page: ResultsPage, qtbot: QtBot
) -> None:
    view = page.views.get_view(RankedRowsView)
    outcome = ExpectedOutcome(50, 30.0, 25.0, 35.0, 0.9, 20.0, "yes", summed=20.0)
    view._on_expected(Query({}, "", 0), outcome)
    assert view.outcome_label.text() == translate(describe_outcome(outcome))
    assert view.detail_label.text() == translate(explain_sum(outcome)) != ""
    assert view.detail_label.isVisibleTo(view)
    view._on_expected(Query({}, "", 0), replace(outcome, summed=30.0))
    assert not view.detail_label.isVisibleTo(view)
    drifting = replace(outcome, summed=30.0, lowest=0.061, highest=0.112, beyond=7)
    view._on_expected(Query({}, "", 0), drifting)
    assert contains_facts(view.detail_label.text(), "“yes”", "6.1", "11.2 %")
    assert contains_facts(view.caution_label.text(), "7 new rows")


def test_new_predictions_clear_old_messages(
    page: ResultsPage, predicted: tuple[Path, LoadedPredictions], helper: Any, qtbot: QtBot
) -> None:
    view = page.views.get_view(RankedRowsView)
    later = replace(predicted[1], rows=replace(predicted[1].rows, caution="They are later."))
    page.predict_card.predicted.emit(later)
    qtbot.waitUntil(lambda: view.caution_label.text() == "They are later.")
    before = view.outcome_label.text()
    page.predict_card.predicted.emit(None)
    page.predict_card.predicted.emit(predicted[1])
    assert view.table.isVisibleTo(view)
    assert view.outcome_label.text() == "Estimating…" != before
    assert not view.caution_label.isVisibleTo(view)
    qtbot.waitUntil(lambda: view.outcome_label.text() == before)


def test_missing_models_are_reported_immediately_instead_of_reasons(
    helper: Any, make_view: Any, qtbot: QtBot
) -> None:
    card = ReasonsCard(HelperRequesterFactory(helper, "test"))
    qtbot.addWidget(card)
    helper.holds_replies = True
    stopped = make_result(refitted=False, kept_bytes=0, kept_reason="Too large.")
    view = make_view(state="stopped", result=stopped)
    arguments = {"path": "d.studio", "run_id": 1}
    card.show_row(arguments, 57, {}, 1, blocking_reason=explain_missing_reasons(view))
    assert contains_facts(card.reasons_label.text(), "trained members", "Too large.")
    assert not card.button.isEnabled()
    assert contains_facts(card.button.toolTip(), "Too large.")
    view.row = replace(view.row, result=replace(stopped, refitted=True, kept_bytes=9))
    card.show_row(arguments, 57, {}, 1, blocking_reason=explain_missing_reasons(view))
    qtbot.waitUntil(lambda: [task for task, _ in helper.asked] == ["row_form"])
    assert "Refit" not in card.reasons_label.text()
    assert not card.button.isEnabled() and "has been read" in card.button.toolTip()


def test_ranked_row_shows_reasons_and_opens(page: ResultsPage, qtbot: QtBot) -> None:
    view = page.views.get_view(RankedRowsView)
    qtbot.waitUntil(lambda: view.reasons.reasons_label.text().count("•") == 3)
    assert f"Why row {view.table.selected_row + 1}?" in get_visible_text(view)
    assert view.order is not None
    row = view.order.get_written_row(view.table.selected_row)
    assert f"colour: “{row['colour']}” makes" in view.reasons.reasons_label.text()
    press(page, "Open in “One row”")
    form = page.views.get_view(OneRowView)
    qtbot.waitUntil(lambda: form.model.form.columns != ())
    qtbot.waitUntil(lambda: form.model.values[2] == row["colour"])
    assert form.model.values[0] == float(row["a"])
    assert view.loaded_predictions is not None
    number, table = str(view.table.selected_row + 1), view.loaded_predictions.table.name
    assert contains_facts(form.card.true_value_label.text(), number, table)


def test_rows_are_saved_in_shown_order(
    page: ResultsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    view = page.views.get_view(RankedRowsView)
    view.count.setValue(3)
    path = tmp_path / "first.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    view._on_expected(
        Query({}, "", 0), ExpectedOutcome(50, 30.0, 25.0, 35.0, 0.9, 20.0, "yes", summed=20.0)
    )
    press(view, "Save the first 3 rows…")
    with monkeypatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("one file at a time"))
        view.save_all_button.click()
    qtbot.waitUntil(lambda: "✓ Saved first.csv." in get_visible_text(view))
    assert contains_facts(view.saved.message_label.text(), "add up to 20"), (
        "the file is not corrected"
    )
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("row,a,b,colour,prediction,")
    assert view.order is not None
    row_index = int(view.order.order[0])
    first = view.order.get_written_row(row_index)
    assert lines[1].startswith(",".join((str(row_index + 1), *first.values())))
    assert len(lines) == 4
    view.save(tmp_path / "no" / "all.csv", only_selected=False)
    qtbot.waitUntil(lambda: "be written" in get_visible_text(view))


def test_save_dialog_remembers_file_type_and_folder(
    page: ResultsPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    view = page.views.get_view(RankedRowsView)
    dialogs: list[tuple[Path, str, str]] = []
    saved: list[tuple[Path, bool]] = []
    answers = iter(((tmp_path / "first", 0), ("", 0), (tmp_path / "all.csv", 2), ("", 0)))

    def ask(_: object, _title: str, start: str, kinds: str, kind: str, *_rest: object) -> object:
        dialogs.append((Path(start), kinds.split(";;", 1)[0], kind))
        name, number = next(answers)
        return str(name), kinds.split(";;")[number]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setattr(
        view, "save", lambda path, for_spreadsheet, **_: saved.append((path, for_spreadsheet))
    )
    for _ in range(4):
        view.save_all_button.click()
    assert saved == [(tmp_path / "first.xlsx", True), (tmp_path / "all.csv", False)]
    assert view.loaded_predictions is not None
    starts = [start for start, *_ in dialogs]
    assert (starts[0].parent, starts[1].parent) == (view.loaded_predictions.table.parent, tmp_path)
    assert [each.suffix for each in starts] == [".csv", ".xlsx", ".xlsx", ".csv"]
    assert {first for _, first, _ in dialogs} == {"Excel workbook (*.xlsx)"}
    kinds = [kind for *_, kind in dialogs]
    assert kinds[:3] == ["CSV (*.csv)", "Excel workbook (*.xlsx)", "Excel workbook (*.xlsx)"]
    assert "original labels" in kinds[3]


def test_saved_file_outdated_by_decision_is_reported(
    page: ResultsPage, predicted: tuple[Path, LoadedPredictions], tmp_path: Path, qtbot: QtBot
) -> None:
    view = page.views.get_view(RankedRowsView)
    view.save(tmp_path / "all.csv", only_selected=False)
    qtbot.waitUntil(lambda: "✓" in view.saved.message_label.text())
    view.show_predictions(predicted[1])
    assert not view.saved.message_label.text()
    run = view.tools.session.run_selection.run
    assert run is not None
    run.row = replace(run.row, decision=Decision("yes", 0.2))
    view.show_predictions(predicted[1])
    assert "all.csv" in view.saved.message_label.text()
