"""The reading options of a column, and their summary."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.data.dates import DateFormat
from studio.data.numbers import NumberFormat
from studio.data.read_options import ColumnReading
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.pages.data.column_panel import ReadingFields
from studio.gui.pages.data.finding_display import split_missing_words, summarise_reading
from tests.facts import contains_facts
from tests.gui.previews import column


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ({"number_format": NumberFormat(",", ".", units=("%",))},
         "Numbers in %, decimal comma: 1.234,5"),
        ({"number_format": NumberFormat(), "missing_words": ("?",)},
         "Numbers, decimal point: 1234.5; missing: ?"),
        ({"number_format": NumberFormat(), "has_decimal_marks": False}, "Numbers"),
        ({"number_format": NumberFormat(".", ","), "has_decimal_marks": False}, "Numbers: 1,234"),
        ({"number_format": NumberFormat(",", ".", units=("km",)), "has_decimal_marks": False},
         "Numbers in km: 1.234"),
        ({"kind": "date", "date_format": DateFormat("day-first")}, "Dates, day first"),
        ({"kind": "category"}, "Words; only empty cells are missing"),
        ({"kind": "category", "missing_words": ("?", "N/A")}, "Words; missing: ?, N/A"),
    ],
)  # fmt: skip
def test_column_reading_is_summarised(seen: dict[str, Any], expected: str) -> None:
    assert summarise_reading(column("a", **seen)) == expected


def test_missing_words_are_separated_by_commas_or_bars() -> None:
    assert split_missing_words(" NA, none |k. A.,,NA ") == ("NA", "none", "k. A.")
    assert split_missing_words(" ") == ()


@pytest.fixture
def fields(qtbot: QtBot) -> ReadingFields:
    reading_fields = ReadingFields()
    qtbot.addWidget(reading_fields)
    reading_fields.show()
    return reading_fields


def draft(**readings: str) -> DataDraft:
    return DataDraft(path="t.csv", options={"columns": readings} if readings else {})


def activate(choice: Any, value: object) -> None:
    """Select a value, with the signal of a user's selection."""
    index = choice.values.index(value)
    choice.setCurrentIndex(index)
    choice.activated.emit(index)


def test_number_marks_can_be_chosen_and_reset(qtbot: QtBot, fields: ReadingFields) -> None:
    numbers = column("a", number_format=NumberFormat(",", "."), missing_words=("?",))
    fields.show_column(numbers, draft())
    assert not fields.marks.isVisible()
    fields.options_button.click()
    assert fields.marks.isVisible() and not fields.order.isVisible()
    assert (fields.marks.currentText(), fields.marks.values[0]) == ("Detected: 1.234,5", None)
    with qtbot.waitSignal(fields.reading_changed) as blocker:
        activate(fields.marks, (".", ","))
    assert blocker.args == ["a", ColumnReading(".", ",")]
    fields.show_column(numbers, draft(a="decimal:point,thousands:comma,missing:x"))
    assert fields.marks.currentText() == "1,234.5"
    with qtbot.waitSignal(fields.reading_changed) as blocker:
        activate(fields.marks, None)
    assert blocker.args == ["a", ColumnReading(missing=("x",))]
    odd = draft(a="thousands:underscore")
    fields.show_column(numbers, odd)
    assert fields.marks.currentText() == "1_234.5"


def test_date_column_has_order_field_but_no_number_marks(
    qtbot: QtBot, fields: ReadingFields
) -> None:
    days = column("d", kind="date", date_format=DateFormat("day-first"))
    fields.show_column(days, draft())
    fields.options_button.click()
    assert fields.order.isVisible() and not fields.marks.isVisible()
    assert fields.order.currentText() == "Detected: day first"
    with qtbot.waitSignal(fields.reading_changed) as blocker:
        activate(fields.order, "serial")
    assert blocker.args == ["d", ColumnReading(order="serial")]


def test_typed_missing_words_are_applied(qtbot: QtBot, fields: ReadingFields) -> None:
    word_column = column("c", kind="category", missing_words=("?", "N/A"))
    fields.show_column(word_column, draft())
    fields.options_button.click()
    assert fields.missing.text() == "?, N/A"
    assert not fields.reset_words_button.isVisible()
    with qtbot.assertNotEmitted(fields.reading_changed):
        qtbot.keyClick(fields.missing, Qt.Key.Key_Return)
        qtbot.keyClicks(fields.missing, ", none")
        fields.show_column(word_column, draft())  # another choice does not discard typed text
    with qtbot.waitSignal(fields.reading_changed) as blocker:
        qtbot.keyClick(fields.missing, Qt.Key.Key_Return)
    assert blocker.args == ["c", ColumnReading(missing=("?", "N/A", "none"))]
    fields.show_column(word_column, draft(c="missing:"))
    assert fields.missing.text() == ""
    with qtbot.waitSignal(fields.reading_changed) as blocker:
        fields.reset_words_button.click()
    assert blocker.args == ["c", ColumnReading()]


def test_changed_reading_options_are_expanded(fields: ReadingFields) -> None:
    word_column = column("c", kind="category")
    fields.show_column(word_column, draft(c="missing:x"))
    assert fields.missing.isVisible()
    fields.options_button.click()
    fields.show_column(word_column, draft(c="missing:x"))
    assert not fields.missing.isVisible()
    fields.show_column(column("other"), draft())
    assert not fields.missing.isVisible()


def test_file_wide_number_marks_create_no_finding(fields: ReadingFields) -> None:
    numbers = column("a", number_format=NumberFormat(","))
    data_draft = DataDraft(path=str(Path("t.csv")), options={"decimal": ","})
    fields.show_column(numbers, data_draft)
    assert contains_facts(fields.marks.currentText(), "all columns", "1234,5")
