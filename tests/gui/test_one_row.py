"""The view *One row* on a small real run, filled in by keyboard and mouse."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import RowColumn, RowForm, RowPrediction, TableRow
from studio.data.dates import DateFormat
from studio.data.split_plan import SplitPlan
from studio.document.store import Document
from studio.gui.base import theme
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.one_row.findings import Findings
from studio.gui.pages.results.one_row.model import RowModel, parse_table_number
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.errors import ErrorsPage
from studio.gui.pages.results.views.one_row import OneRowView, RowCard
from studio.gui.session.session import Session
from studio.gui.widgets.fields import Choice, NumberEdit
from studio.measure import format_amount
from studio.questions.columns.answer import ColumnEffects, ColumnEffectsPlan
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from tests.facts import contains_facts
from tests.gui.visible_content import get_visible_text, iter_visible, pick, press
from tests.small_runs import small_table  # noqa: F401

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def document(small_table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    path = tmp_path_factory.mktemp("runs") / "work.studio"
    settings = RunSettings(
        method="RS-ES", budget=6, workers=1, source=TableSource(path=str(small_table))
    )
    with Document.create(path) as new_document:
        run_id = new_document.runs.add("run", settings.to_json())
        Engine(new_document, run_id, lambda _: None, InlinePool).execute_run()
    return path


@pytest.fixture
def opened(document: Path) -> Iterator[Session]:
    session = Session()
    session.open(document)
    yield session
    session.close()


@pytest.fixture
def view(opened: Session, helper: Any, qtbot: QtBot) -> OneRowView:
    page = ResultsPage(opened, RunModel(opened, helper), helper)
    qtbot.addWidget(page)
    page.show()
    press(page, "One row")
    one_row_view = page.views.get_view(OneRowView)
    qtbot.waitUntil(
        lambda: (
            "Still being refined" not in get_visible_text(one_row_view)
            and "orders" in get_visible_text(one_row_view)
        )
    )
    return one_row_view


def test_row_form_starts_with_typical_values(view: OneRowView) -> None:
    assert [field.name for field in view.card.fields] == ["a", "b", "colour"]
    assert "Prediction of “target”" in get_visible_text(view)
    assert "similar probability of" in get_visible_text(view)
    assert view.findings.bars.accessibleName().count("%") == 2
    assert view.findings.steps.accessibleName().count(":") == 3
    assert "In percentage points" in get_visible_text(view)


def test_typed_value_updates_prediction_and_warns_if_unseen(view: OneRowView, qtbot: QtBot) -> None:
    field = view.card.fields[0]
    for text, label in (("-1.5", "no"), ("1.5", "yes"), ("9", "yes")):
        field.control.selectAll()
        QTest.keyClicks(field.control, text)
        qtbot.waitUntil(lambda text=label: view.findings.headline_label.text().startswith(text))
        about = view.findings.class_choice
        explained_class = about.values[about.currentIndex()]
        assert explained_class == view.model.form.positive_code, "explained whatever the answer is"
    assert "Outside the training" in field.note_label.text()
    field.control.selectAll()
    QTest.keyClicks(field.control, "many")
    assert "Expected a number" in field.note_label.text()
    assert view.model.values[0] == 9.0, "the last number holds"
    field.control.selectAll()
    QTest.keyClick(field.control, Qt.Key.Key_Delete)
    assert view.model.values[0] is None


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("hint", ["row", "numéro de ligne"])
def test_row_number_is_never_elided(
    hint: str, scale: float, qtbot: QtBot, qapp: QApplication
) -> None:
    theme.apply(qapp, theme.LIGHT, scale)
    try:
        model = RowModel()
        model.set_form(RowForm(rows=1_000_000))
        card = RowCard(model)
        qtbot.addWidget(card)
        card.number.setPlaceholderText(hint)
        card.show_values()
        card.resize(card.minimumSizeHint())
        card.show()
        metrics = card.number.fontMetrics()
        needed = max(map(metrics.horizontalAdvance, (hint, "1000000")))
        assert card.number.width() > needed + 2 * theme.GRID, "with its frame and padding"
    finally:
        theme.apply(qapp, theme.LIGHT)


def test_table_row_is_loaded_with_observed_value(view: OneRowView, qtbot: QtBot) -> None:
    view.card.number.selectAll()
    QTest.keyClicks(view.card.number, "7")
    qtbot.waitUntil(lambda: "Observed: " in get_visible_text(view))
    before = list(view.model.values)
    press(view, "Next row")
    qtbot.waitUntil(lambda: view.model.row == 8)
    assert view.model.values != before
    assert view.card.number.text() == "8"
    press(view, "Previous row")
    qtbot.waitUntil(lambda: view.model.values == before)
    press(view, "Typical values")
    assert "Observed: " not in get_visible_text(view)
    view.card.number.selectAll()
    QTest.keyClicks(view.card.number, "7")
    qtbot.waitUntil(lambda: view.model.values == before)
    qtbot.waitUntil(lambda: "orders" in view.findings.reasons_label.text())
    colour = view.card.fields[2].control
    assert isinstance(colour, Choice)
    pick(colour, "")
    assert view.model.values[2] is None
    assert "Observed: " not in get_visible_text(view), "it is another row now"


def test_empty_field_shows_error_without_prediction(
    view: OneRowView, helper: Any, qtbot: QtBot
) -> None:
    answer, box, number = (
        view.findings.headline_label,
        view.card.number,
        view.card.fields[0].control,
    )
    view.activateWindow()
    box.setFocus()
    qtbot.waitUntil(lambda: box.hasFocus() and answer.isEnabled())
    helper.holds_replies = True
    QTest.keyClicks(box, "999")  # row 9's reply arrives after the change to 999
    QTest.keyClick(box, Qt.Key.Key_Return)
    helper.holds_replies = False
    helper.release()
    assert "from 1 to 90" in get_visible_text(view)
    assert view.model.row == 0
    assert not answer.isEnabled()
    number.setFocus()
    for invalid in ("abc", "1e400"):
        number.selectAll()
        QTest.keyClicks(number, "1e4")
        qtbot.waitUntil(answer.isEnabled)
        number.selectAll()
        QTest.keyClicks(number, invalid)
        assert not answer.isEnabled()
        assert view.findings.reasons_label.text() == "", "nothing is being computed"
        view.findings.min_change_requested.emit(1.0)


def test_row_values_are_kept_across_runs(
    document: Path, tmp_path: Path, helper: Any, qtbot: QtBot
) -> None:
    path = Path(shutil.copy(document, tmp_path))
    with Document.open(path) as document_copy:
        settings = RunSettings.from_json(document_copy.runs.get(1).settings)
        fewer = replace(settings, plan=SplitPlan(train=0.2, validation=0.2, test=0.6))
        other = document_copy.runs.add("fewer rows to learn from", fewer.to_json())
        Engine(document_copy, other, lambda _: None, InlinePool).execute_run()
    session = Session()
    session.open(path)
    session.run_selection.choose_run(1)
    page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(page)
    page.show()
    press(page, "One row")
    view = page.views.get_view(OneRowView)

    def get_last_request_values(run: int) -> list[Any]:
        """Return the values of a run's last answered request."""
        requests = [each for task, each in helper.asked if task == "row_prediction"]
        assert requests
        assert requests[-1]["run_id"] == run
        assert view.findings.headline_label.isEnabled()
        return list(requests[-1]["values"])

    qtbot.waitUntil(lambda: get_last_request_values(1) != [])
    view.card.number.setText("")
    QTest.keyClicks(view.card.number, "7")
    qtbot.waitUntil(lambda: view.model.row == 7)
    seventh = list(view.model.values)
    ranges = [each.note_label.text() for each in view.card.fields]
    session.run_selection.choose_run(other)
    qtbot.waitUntil(lambda: get_last_request_values(other) == seventh)
    assert [each.note_label.text() for each in view.card.fields] != ranges
    assert "Observed: " in get_visible_text(view), "of the other run's rows"
    number = view.card.fields[0].control
    number.setText("")
    QTest.keyClicks(number, "5")
    session.run_selection.choose_run(1)
    qtbot.waitUntil(lambda: get_last_request_values(1) == [5.0, *seventh[1:]])
    assert view.card.fields[0].control.text() == "5"
    session.close()


def test_counterfactual_can_be_applied(view: OneRowView, qtbot: QtBot) -> None:
    before = view.findings.headline_label.text().split(" (")[0]
    qtbot.waitUntil(lambda: "instead of" in get_visible_text(view))
    kind = type(view.card.fill_typical_button)
    press(view, next(
        each.accessibleName() for each in view.findings.findChildren(kind)
        if each.accessibleName().startswith("Try it: a:")
    ))  # fmt: skip
    qtbot.waitUntil(lambda: view.findings.headline_label.text().split(" (")[0] != before)


def test_missing_ensemble_is_reported_with_remedy(
    opened: Session, helper: Any, qtbot: QtBot
) -> None:
    helper.replaced["row_form"] = lambda _: RowForm(reason="It is larger than 100 MB.")
    page = ResultsPage(opened, RunModel(opened, helper), helper)
    qtbot.addWidget(page)
    page.show()
    press(page, "One row")
    view = page.views.get_view(OneRowView)
    qtbot.waitUntil(lambda: "larger than 100 MB" in get_visible_text(view))
    assert "Refit the members" in [each.text() for each in iter_visible(view, QAbstractButton)]
    assert not view.card.isVisibleTo(view)


# Texts -----------------------------------------------------------------------------------


def test_numbers_are_localised_and_parsed(qtbot: QtBot) -> None:
    sales = RowColumn(
        "sales",
        "number",
        14.62,
        20377.6,
        default_value=1444.57,
        decimal=",",
        thousands=".",
        units=("km",),
    )
    model = RowModel()
    model.set_form(RowForm((sales,)))
    card = RowCard(model)
    qtbot.addWidget(card)
    card.build()
    card.show()
    card.activateWindow()
    (field,) = card.fields
    assert isinstance(field.control, NumberEdit)
    field.control.setFocus()
    qtbot.waitUntil(field.control.hasFocus)
    assert field.control.text() == "1.444,57\N{NO-BREAK SPACE}km"
    assert field.note_label.text() == "14,62\N{NO-BREAK SPACE}km to 20.377,6\N{NO-BREAK SPACE}km"
    values_by_text = {
        "657,69": 657.69,
        "657.69": 657.69,
        "1.444": 1444.0,  # 1.444 is no training value
        "1,444": 1444.0,
        "2.444,5": 2444.5,
        "2,444.5": 2444.5,
        "20.000": 20000.0,  # both are possible: the table's format decides
        "2.444,5 km": 2444.5,
        "2,444.5 km": 2444.5,
        "99.999": 99.999,
        "7": 7.0,
    }
    for text, value in values_by_text.items():
        field.control.clear()
        qtbot.keyClicks(field.control, text)
        assert model.values == [value]
    assert model.format_value(sales, model.values[0]) == "7\N{NO-BREAK SPACE}km"
    assert (model.format_value(sales, 2011.0), format_amount(2011.0)) == (
        "2.011\N{NO-BREAK SPACE}km",
        "2011",
    )
    bare = replace(sales, units=())
    assert (model.format_value(bare, 6423.5), model.format_target(6423.5)) == ("6.423,5", "6,423.5")
    ungrouped = replace(bare, thousands="")
    for value in (6.3, 6423.5):
        text = model.format_value(ungrouped, value)
        assert text == f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace(".", ",")
        assert parse_table_number(ungrouped, text) == value
    balance = replace(ungrouped, low=-5.0, high=5.0)
    assert model.format_value(balance, -1.444) == "−1,444"
    assert parse_table_number(balance, "−1,444") == -1.444
    model.set_form(RowForm((sales,), notable_change=1234.5, unit="€"))
    amounts = model.format_target(6423.5), model.format_contribution(-6423.5)
    assert amounts == ("6,424\N{NO-BREAK SPACE}€", "−6,424\N{NO-BREAK SPACE}€")
    model.fill_in_row(1, TableRow((7.0,), 2690.0, is_seen=False))
    assert "2,690\N{NO-BREAK SPACE}€" in model.describe_truth()
    power = replace(sales, low=1.0, is_integer=True)
    assert parse_table_number(power, "1.200") == 1200.0, "all training values are whole"
    plain_sales = replace(sales, decimal=".", thousands="")
    assert parse_table_number(plain_sales, "1,444") == 1444.0
    assert parse_table_number(plain_sales, "1.444") == 1.444


def test_unknown_label_is_reported(qtbot: QtBot) -> None:
    model = RowModel()
    columns = (RowColumn("town", "category", labels=("Bern", "Basel"), default_value="Bern"),)
    model.set_form(RowForm(columns, rows=3, target="price"))
    card = RowCard(model)
    qtbot.addWidget(card)
    card.build()
    choice = card.fields[0].control
    assert isinstance(choice, Choice)
    assert choice.values == ("", "Bern", "Basel")
    model.fill_in_row(2, TableRow(("Chur",), None, is_seen=False))
    card.show_values()
    assert choice.currentText() == "Chur"
    assert "No training row" in get_visible_text(card)
    assert "no known price" in get_visible_text(card)
    model.set_form(RowForm((replace(columns[0], has_rare_labels=True),), rows=3, target="price"))
    model.fill_in_row(2, TableRow(("Chur",), None, is_seen=False))
    assert not model.explain_unfamiliar_row(), (
        "it may be one of the rarer labels, which are not listed"
    )
    assert card.count_label.text() == "of 3"
    new = TableRow((None,), None, is_seen=False, unknown=("Chur",))
    model.fill_in_new_row(2, "new.csv", new)
    card.show_values()
    assert contains_facts(choice.currentText(), "Chur", "unknown")
    assert "No training row" in get_visible_text(card)
    assert card.number.text() == "", "the number is of another table"


def test_invalid_date_is_rejected_with_example(qtbot: QtBot) -> None:
    ends = ("2022-01-10", "2024-06-17")
    date_column = RowColumn(
        "booked on",
        "date",
        labels=ends,
        default_value=ends[0],
        date_format=DateFormat("month-first"),
    )
    model = RowModel()
    model.set_form(RowForm((date_column,)))
    card = RowCard(model)
    qtbot.addWidget(card)
    card.build()
    card.show()
    card.activateWindow()
    (field,) = card.fields
    field.control.setFocus()
    qtbot.waitUntil(field.control.hasFocus)
    for text in ("31.12.2023", "31 Dec 2023", "2023-02-30"):
        field.control.selectAll()
        QTest.keyClicks(field.control, text)
        QTest.keyClick(field.control, Qt.Key.Key_Return)
        assert contains_facts(field.note_label.text(), "Expected a date", "2024-06-17"), text
        assert model.values != [text]
    for text in ("2023/12/31", "12.31.2023", "2023-12-31 18:30"):
        field.control.selectAll()
        QTest.keyClicks(field.control, text)
        assert field.note_label.text() == "2022-01-10 to 2024-06-17"
        assert model.values == [text]


def test_values_outside_training_range_have_no_probability(qtbot: QtBot) -> None:
    ends = ("2022-01-10", "2024-06-17")
    rooms = RowColumn("rooms", "number", 1.0, 6.0, default_value=3.0)
    date_column = RowColumn(
        "booked on", "date", labels=ends, default_value=ends[0], date_format=DateFormat("day-first")
    )
    model = RowModel()
    model.set_form(RowForm((rooms, date_column), target="price"))
    card, findings = RowCard(model), Findings(model)
    qtbot.addWidget(card)
    qtbot.addWidget(findings)
    card.build()
    card.show()
    card.activateWindow()
    number, date = card.fields
    price = RowPrediction(value=9.0, low=8.0, high=10.0, coverage=0.9, n_covered=67, n_similar=72)
    for field, inside, outside in (
        (number, "6", ("-900", "6.5")),
        (date, "17.06.2024", ("2035-01-01", "09.01.2022", "2024-06-17 00:01")),
    ):
        field.control.setFocus()
        qtbot.waitUntil(field.control.hasFocus)
        for text in (*outside, inside):
            field.control.selectAll()
            QTest.keyClicks(field.control, text)
            findings.show_prediction(price)
            shown = get_visible_text(findings)
            claimed = "90" in shown
            assert claimed == ("67 of 72" in shown) == (text == inside), text
            assert contains_facts(shown, "etween 8 and 10"), "as in the list of ranked rows"
            assert contains_facts(shown, "no training row", field.name) != claimed
            assert ("Outside the training" in field.note_label.text()) != claimed
    model.form = replace(model.form, classes=("no", "yes"))
    model.set_value(0, 7.0)
    model.set_value(1, "2035-01-01")
    pets = RowPrediction(
        probabilities=np.array([0.1, 0.9]), class_code=1, n_covered=48, n_similar=50
    )
    assert "rooms, booked on." in model.describe_range(pets)
    assert model.describe_record(pets) == ""


def test_insignificant_main_reason_is_marked_uncertain(view: OneRowView, qtbot: QtBot) -> None:
    effects = view.tools.effects
    first = view.findings.steps.accessibleName().split(" = ")[0]
    names = tuple(field.name for field in view.card.fields)
    d = len(names)
    column_effects = ColumnEffects(
        plan=ColumnEffectsPlan(names=names, sources=names),
        rises=np.full((1, d), 0.01),
        low=np.full(d, -0.01),
        high=np.full(d, 0.02),
        is_significant=np.array([name != first for name in names]),
    )
    for variant, doubtful in (
        (column_effects, True),
        (replace(column_effects, is_complete=False), False),
        (replace(column_effects, is_significant=np.ones(d, dtype=bool)), False),
    ):
        effects.effects = variant
        effects._notify()
        assert contains_facts(view.findings.uncertainty_label.text(), first) == doubtful
        assert view.findings.uncertainty_label.isHidden() != doubtful
    assert column_effects.uncertain_columns == {first}


def test_ended_run_shows_loading_message(view: OneRowView, helper: Any) -> None:
    run = view.tools.session.run_selection.run
    assert run is not None
    view.show_run(run, ready=False)
    waiting = view.reason_label.text()
    helper.holds_replies = True
    view.show_run(run, ready=True)
    assert view.reason_label.isVisibleTo(view)
    assert view.reason_label.text() not in {"", waiting}
    helper.holds_replies = False
    helper.release()


def test_row_awaiting_the_form_is_not_filled_in_for_another_run(
    view: OneRowView, helper: Any
) -> None:
    run = view.tools.session.run_selection.run
    assert run is not None
    helper.holds_replies = True
    view.show_run(run, ready=False)
    view.show_run(run, ready=True)
    view.fill(2, "new.csv", TableRow((1.0, 2.0, "red"), None, is_seen=False))
    view.show_run(replace(run, row=replace(run.row, id=run.row.id + 1)), ready=False)
    view.show_run(run, ready=True)
    helper.holds_replies = False
    helper.release()
    assert not view._content.isHidden()
    assert view.model.values[1] != 2.0


def test_findings_about_another_document_are_cleared(
    view: OneRowView, opened: Session, document: Path, helper: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    findings = view.findings
    shown = (findings.headline_label, findings.record_label, findings.bars, findings.steps)
    assert all(each.isVisibleTo(view) for each in shown)
    helper.holds_replies = True
    view.card.fields[0].control.setText("")
    QTest.keyClicks(view.card.fields[0].control, "1.5")
    view._request_prediction()  # of the document closed below
    opened.open(Path(shutil.copy(document, tmp_path)))
    press(view.window(), "One row")
    helper.replaced["row_prediction"] = lambda arguments: pytest.fail(f"asked: {arguments}")
    helper.release()  # the form
    assert not view._content.isHidden()
    assert not any(each.isVisibleTo(view) for each in shown)
    del helper.replaced["row_prediction"]
    helper.holds_replies = False
    qtbot.waitUntil(lambda: all(each.isVisibleTo(view) for each in shown))
    assert helper.asked[-1][1]["path"] == str(opened.path)


def test_row_selected_on_errors_page_is_opened(opened: Session, helper: Any, qtbot: QtBot) -> None:
    page = ResultsPage(opened, RunModel(opened, helper), helper)
    qtbot.addWidget(page)
    page.show()
    press(page, "Errors")
    plot = page.views.get_view(ErrorsPage).plot
    qtbot.waitUntil(lambda: plot.current_figure is not None)
    drawn, size = plot.current_figure, page.size()
    page.resize(size.width() + 80, size.height() + 80)
    qtbot.waitUntil(lambda: plot.current_figure is not drawn)  # fitted to the new size
    plot.row_opened.emit(7)
    assert page.views.current_key == "one_row"
    view = page.views.get_view(OneRowView)
    qtbot.waitUntil(lambda: view.model.row == 7 and "Observed: " in get_visible_text(view))


def test_fixed_columns_are_stored_and_excluded_from_proposals(
    view: OneRowView, qtbot: QtBot
) -> None:
    view.model.set_value(0, 1.5)
    view._on_change()
    proposed = lambda: [  # noqa: E731
        each.accessibleName() for each in view.findings.findChildren(QPushButton)
        if each.accessibleName().startswith("Try it: a:")
    ]  # fmt: skip
    qtbot.waitUntil(lambda: bool(proposed()))
    view.findings.set_changeable("a", False)
    qtbot.waitUntil(lambda: not proposed())
    assert "2 of 3 columns" in view.findings.choose_columns_button.text()
    session = view.tools.session
    path = session.path
    session.close()
    session.open(path)
    view.show_run(session.run_selection.run, ready=True)
    assert view.model.changeable_columns == {"a": False}
