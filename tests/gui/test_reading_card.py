"""The card with the reading options of a file: likely encodings come first."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from studio.data.read_options import ReadOptions
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.pages.data.reading_card import ReadingCard, _summarise_options
from studio.gui.session.session import Session
from studio.gui.widgets.fields import Choice
from studio.helper.preview import preview as preview_task
from studio.helper.table_spec import TableSpec


def test_likely_encodings_are_listed_first_with_examples(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("id,miasto\n1,Łódź\n2,Gdańsk\n3,Poznań\n4,Kraków\n".encode("cp1250"))
    preview = preview_task(TableSpec(path))
    card = ReadingCard()
    qtbot.addWidget(card)
    card.show_draft(dataclasses.replace(DataDraft.for_file(path), preview=preview))
    choice = card.choices["encoding"]
    texts = [choice.itemText(index) for index in range(choice.count())]
    western = next(index for index, text in enumerate(texts) if text.startswith("cp1252"))
    assert western < 5
    assert "Gdañsk" in texts[western]
    assert len({text.partition("  ")[0] for text in texts}) == len(texts)
    with qtbot.waitSignal(card.option_changed) as blocker:
        choice.setCurrentIndex(western)
        choice.activated.emit(western)
    assert blocker.args == ["encoding", "cp1252"]


def test_reading_options_are_summarised_as_text() -> None:
    assert _summarise_options(ReadOptions(separator=",", decimal=".", encoding="utf-8")) == (
        "separator: comma, decimal point, UTF-8"
    )
    assert _summarise_options(ReadOptions(separator="tab", decimal=",")) == (
        "separator: tab, decimal comma"
    )


def test_mark_of_few_columns_is_not_called_none(
    session: Session, helper: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b;c;y\n" + "1.234,5;2,25;7,5;u\n2.345,5;3,75;8,5;v\n" * 4, "utf-8")
    model = DataModel(session, helper)
    card = ReadingCard()
    qtbot.addWidget(card)
    model.changed.connect(lambda: card.show_draft(model.draft))
    model.open_file(path)
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    grouped = [each.number_format.thousands for each in model.draft.preview.columns[:3]]
    assert any(grouped)
    assert card.choices["thousands"].currentText() == "Detected: in some columns"


@pytest.mark.slow
def test_detected_marks_are_shown_but_not_stored(
    session: Session, helper: Any, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b;y\n" + "1.234,5;2,25;u\n2.345,5;3,75;v\n" * 4, "utf-8")
    model = DataModel(session, helper)
    card = ReadingCard()
    qtbot.addWidget(card)
    card.option_changed.connect(model.set_option)
    model.changed.connect(lambda: card.show_draft(model.draft))
    model.open_file(path)
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    marks = [card.choices["decimal"], card.choices["thousands"]]
    assert [each.currentText() for each in marks] == ["Detected: comma  3,14", "Detected: point"]
    for choice in marks:
        choice.activated.emit(choice.currentIndex())
    assert model.draft.options == {}
    activate(card.choices["separator"], ";")
    model.set_role("b", "ignore")
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.options == {"separator": ";"}
    assert model.draft.make_source().reading == {"separator": ";"}
    sent_options = [
        arguments["table"]["options"] for task, arguments in helper.asked if task == "preview"
    ]
    assert all(not {"decimal", "thousands"} & set(options) for options in sent_options)
    activate(marks[0], ".")
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.options == {"separator": ";", "decimal": "."}
    assert marks[0].currentText() == "point  3.14"
    activate(marks[0], None)
    assert model.draft.options == {"separator": ";"}


def activate(choice: Choice, value: object) -> None:
    """Select a value, with the signal of a user's selection."""
    index = choice.values.index(value)
    choice.setCurrentIndex(index)
    choice.activated.emit(index)


ROWS = "".join(f"{i / 7:.2f},{5 - i / 3:.1f},{('no', 'yes')[i % 2]}\n" for i in range(12))


def make_reading_card(qtbot: QtBot, path: Path, **options: object) -> ReadingCard:
    draft = DataDraft.for_file(path).with_changes(options=options)
    card = ReadingCard()
    qtbot.addWidget(card)
    card.resize(400, 900)
    card.show_draft(draft.with_changes(preview=preview_task(TableSpec(path, options))))
    card.reveal("header")
    card.show()
    return card


def list_first_rows(card: ReadingCard) -> list[tuple[str, str]]:
    return [(" ".join(row.cells), row.position) for row in card.first_rows.rows.records]


def test_clicked_row_becomes_header(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Report\n\na,b,y\n" + ROWS)
    card = make_reading_card(qtbot, path)
    rows = card.first_rows
    assert list_first_rows(card)[:4] == [
        ("Report", "above"),
        ("", "above"),
        ("a b y", "names"),
        ("0.00 5.0 no", "below"),
    ]
    position = QPoint(20, rows.rowViewportPosition(3) + 5)
    with qtbot.waitSignal(card.option_changed) as pressed:
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert pressed.args == ["header_row", 4]
    rows.setCurrentIndex(rows.rows.index(2, 0))
    with qtbot.waitSignal(card.option_changed) as blocker:
        qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert blocker.args == ["header_row", 3]


def test_selected_header_row_is_marked(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Report\n\na,b,y\n" + ROWS)
    card = make_reading_card(qtbot, path, header_row=4)
    assert [role for _, role in list_first_rows(card)[:5]] == ["above"] * 3 + ["names", "below"]
    assert card.choices["header"].itemText(0) == "guess again"
    card = make_reading_card(qtbot, path, header=False)
    assert {role for _, role in list_first_rows(card)} == {"below"}


@pytest.mark.parametrize(
    ("text", "rows", "separator"),
    [
        ('{"a": 1, "y": "x"}\n{"a": 2, "y": "z"}\n', False, False),
        ("a      y\n0.10   New X\n0.30   b\n0.40   New Y\n", True, True),
    ],
)
def test_only_ambiguous_reading_options_are_shown(
    qtbot: QtBot, tmp_path: Path, text: str, rows: bool, separator: bool
) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text)
    card = make_reading_card(qtbot, path)
    assert card.first_rows.isVisibleTo(card) == rows
    assert card.choices["separator"].isVisibleTo(card) == separator
    if separator:
        assert "fixed" in card.choices["separator"].currentText()
