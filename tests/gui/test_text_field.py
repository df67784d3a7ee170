"""Fields of long texts in the form of *One row*."""

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import RowColumn, RowForm
from studio.gui.pages.results.one_row.model import RowModel
from studio.gui.pages.results.views.one_row import RowCard
from studio.gui.widgets.fields import TextEdit

TEXT = "Please help: the card was declined twice and the refund was not received. " * 6


@pytest.fixture
def card(qtbot: QtBot) -> RowCard:
    model = RowModel()
    columns = (
        RowColumn("size", "number", 0.0, 9.0, default_value=5.0),
        RowColumn("note", "text", default_value=TEXT),
        RowColumn("day", "number", 0.0, 9.0, default_value=1.0),
        RowColumn("age", "number", 0.0, 9.0, default_value=2.0),
    )
    model.set_form(RowForm(columns, rows=10, target="team", classes=("a", "b")))
    row_card = RowCard(model)
    qtbot.addWidget(row_card)
    row_card.resize(600, 700)
    row_card.build()
    row_card.show()
    QApplication.processEvents()
    return row_card


def test_text_field_has_full_width_and_shows_the_beginning(card: RowCard) -> None:
    size, note, day, age = card.fields
    edit = note.control
    assert isinstance(edit, TextEdit)
    assert edit.toPlainText() == TEXT
    assert edit.textCursor().position() == edit.verticalScrollBar().value() == 0
    assert edit.viewport().height() >= 2 * edit.fontMetrics().lineSpacing()
    assert note.width() > 1.9 * size.width()
    assert size.y() < note.y() < day.y() == age.y()
    assert day.x() == note.x() < age.x()


def test_typed_text_is_the_value(card: RowCard, qtbot: QtBot) -> None:
    edit = card.fields[1].control
    assert isinstance(edit, TextEdit)
    edit.selectAll()
    with qtbot.waitSignal(card.edited):
        QTest.keyClicks(edit, "no refund ")
    assert card._model.values[1] == "no refund"
    assert edit.toPlainText() == "no refund ", "typing goes on after the blank"
    edit.selectAll()
    QTest.keyClicks(edit, " ")
    assert card._model.values[1] is None
    QTest.keyClick(edit, "\t")
    assert edit.toPlainText() == " ", "Tab leaves the field"


def test_shown_text_is_no_edit(card: RowCard, qtbot: QtBot) -> None:
    edit = card.fields[1].control
    with qtbot.assertNotEmitted(card.edited):
        card._model.values[1] = "another row's text"
        card.show_values()
    assert isinstance(edit, TextEdit) and edit.value == "another row's text"
