"""Fields accept input, or show its problem."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.widgets.fields import (
    Choice,
    DurationEdit,
    Field,
    FieldTitle,
    NumberEdit,
    make_duration_parser,
    make_integer_parser,
    make_positive_parser,
    parse_percentage,
)


def test_integers_are_parsed_within_bounds() -> None:
    parse = make_integer_parser(1, 50)
    assert parse("12") == 12
    for text in ("", "0", "51", "2.5", "2,5", "x", "nan"):
        with pytest.raises(ValueError, match="from 1 to 50"):
            parse(text)
    assert make_integer_parser(1, optional=True)("") is None
    assert make_integer_parser(1)("1,000") == 1000


def test_positive_numbers_are_parsed() -> None:
    assert make_positive_parser()("2,5") == 2.5
    assert make_positive_parser()("1,500") == make_positive_parser()("1 500") == 1500, (
        "as whole numbers are read"
    )
    assert make_positive_parser(optional=True)("") is None
    for text in ("", "0", "-1", "nan", "inf", "x"):
        with pytest.raises(ValueError, match="above 0"):
            make_positive_parser()(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("40 s", 40), ("40s", 40), ("40 sec.", 40), ("40 Seconds", 40), ("2 min", 120), ("0,5", 30),
        ("2", 120), ("1:30", 90), ("1:02:30", 3750), ("1 h 20 min", 4800), ("1h20", 4800),
        ("1 hour and 5 minutes", 3900), ("1 heure et 5 minutes", 3900), ("2 heures", 7200),
        ("1,5 h", 5400), ("1 min 30", 90), ("1,500 s", 1500), ("5 mn", 300),
    ],
)  # fmt: skip
def test_durations_are_parsed_in_any_unit(text: str, seconds: float) -> None:
    value = make_duration_parser("min")(text)
    assert value is not None and value * 60 == pytest.approx(seconds)


def test_other_texts_are_not_parsed_as_durations() -> None:
    parse = make_duration_parser("min", optional=True)
    assert parse("") is None and make_duration_parser("s")("40") == 40
    texts = (
        "0",
        "0 s",
        "-1",
        "-1 min",
        "nan",
        "x",
        "1:75",
        "1:",
        "2 x",
        "s",
        "5 s 2 min",
        "1 2 s 3",
    )
    for text in texts:
        with pytest.raises(ValueError, match=r"Expected a time .* 40 s"):
            parse(text)
    with pytest.raises(ValueError, match="Expected a time"):
        make_duration_parser("min")("")


def test_plain_number_shows_interpretation_immediately(qtbot: QtBot) -> None:
    edit = DurationEdit("min", lambda _: None)
    field = Field("Time", edit)
    qtbot.addWidget(field)
    edit.show_value(1.0)
    assert edit.accessibleName() == "Time"
    edit.selectAll()
    qtbot.keyClicks(edit, "50")
    assert edit.accessibleName() == "Time (= 50 min)"
    qtbot.keyClicks(edit, " s")
    assert edit.accessibleName() == "Time"
    qtbot.keyClicks(edit, "x")
    assert edit.accessibleName() == "Time"


def test_duration_is_formatted_with_units(qtbot: QtBot) -> None:
    values: list[object] = []
    edit = DurationEdit("min", values.append)
    qtbot.addWidget(edit)
    qtbot.keyClicks(edit, "40 s")
    assert values[-1] == 40 / 60
    edit.editingFinished.emit()
    assert edit.text() == "40 s"
    edit.show_value(1.5)
    assert edit.text() == "1 min 30 s" and values[-1] == 40 / 60
    edit.clear()
    qtbot.keyClicks(edit, "1 h 20 min")
    edit.editingFinished.emit()
    assert edit.text() == "1 h 20 min" and values[-1] == 80


def test_percentages_are_parsed() -> None:
    assert [parse_percentage(text) for text in ("0", "2,5", "100")] == [0.0, 2.5, 100.0]
    for text in ("", "-1", "100.5", "nan", "x"):
        with pytest.raises(ValueError, match="0 to 100"):
            parse_percentage(text)


def test_invalid_input_is_reported_and_ignored(qtbot: QtBot) -> None:
    values: list[object] = []
    edit = NumberEdit(make_integer_parser(1, 9), values.append)
    field = Field("Folds", edit, tip="How many", hint="2 to 50")
    edit.on_problem = field.show_problem
    qtbot.addWidget(field)
    field.show()
    qtbot.keyClicks(edit, "4")
    assert values == [4]
    qtbot.keyClicks(edit, "2")
    assert values == [4]
    assert "from 1 to 9" in field.note_label.text()
    assert edit.property("valid") == "false"
    edit.clear()
    qtbot.keyClicks(edit, "7")
    assert values == [4, 7]
    assert field.note_label.text() == "2 to 50"
    assert edit.property("valid") == "true"


def test_field_names_control_for_screen_readers(qtbot: QtBot) -> None:
    edit = NumberEdit(make_positive_parser(), lambda _: None)
    field = Field("Time", edit, unit="s", tip="Longest time")
    qtbot.addWidget(field)
    assert edit.accessibleName() == "Time (s)"
    assert edit.toolTip() == "Longest time"


def test_showing_equal_value_does_not_change_typed_text(qtbot: QtBot) -> None:
    edit = NumberEdit(make_positive_parser(), lambda _: None)
    qtbot.addWidget(edit)
    edit.show_value(2.5)
    assert edit.text() == "2.5"
    edit.show()
    edit.activateWindow()
    edit.setFocus()
    qtbot.waitUntil(edit.hasFocus)
    edit.setText("2.50")
    edit.show_value(2.5)
    assert edit.text() == "2.50"


def test_choice_reports_user_selection_only(qtbot: QtBot) -> None:
    values: list[object] = []
    choice = Choice([("a", "Alpha"), (None, "None")], values.append)
    qtbot.addWidget(choice)
    choice.show_value(None)
    assert choice.currentText() == "None"
    choice.show_value("unknown")
    assert choice.currentIndex() == -1
    assert values == []
    choice.activated.emit(0)
    assert values == ["a"]


def test_long_name_is_elided_with_tooltip(qtbot: QtBot) -> None:
    field = Field(
        "A very long name of a field", NumberEdit(make_positive_parser(), print), tip="Help"
    )
    qtbot.addWidget(field)
    title = field.findChild(FieldTitle)
    assert isinstance(title, FieldTitle)
    field.setFixedWidth(100)
    field.show()
    qtbot.waitUntil(lambda: title.toolTip() == "A very long name of a field\nHelp")
    field.setFixedWidth(400)
    qtbot.waitUntil(lambda: title.toolTip() == "Help")


def test_unsuitable_choice_is_disabled_with_reason(qtbot: QtBot) -> None:
    choice = Choice([("a", "Alpha"), ("b", "Beta")], lambda _: None)
    qtbot.addWidget(choice)
    choice.mark_unsuitable({"b": "It needs a surrogate."})
    role = Qt.ItemDataRole.ToolTipRole
    assert [choice.itemData(index, role) for index in (0, 1)] == [None, "It needs a surrogate."]
    choice.mark_unsuitable({})
    assert choice.itemData(1, role) is None
