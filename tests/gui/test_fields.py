"""Fields accept input, or show its problem."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.widgets.fields import (
    Choice,
    Field,
    FieldTitle,
    NumberEdit,
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


def test_percentages_are_parsed() -> None:
    assert [parse_percentage(text) for text in ("0", "2,5", "100")] == [0.0, 2.5, 100.0]
    for text in ("", "-1", "100.5", "nan", "x"):
        with pytest.raises(ValueError, match="0 to 100"):
            parse_percentage(text)


def test_invalid_input_is_reported_and_ignored(qtbot: QtBot) -> None:
    taken: list[object] = []
    edit = NumberEdit(make_integer_parser(1, 9), taken.append)
    field = Field("Folds", edit, tip="How many", hint="2 to 50")
    edit.complain = field.show_problem
    qtbot.addWidget(field)
    field.show()
    qtbot.keyClicks(edit, "4")
    assert taken == [4]
    qtbot.keyClicks(edit, "2")
    assert taken == [4]
    assert "from 1 to 9" in field.note.text()
    assert edit.property("valid") == "false"
    edit.clear()
    qtbot.keyClicks(edit, "7")
    assert taken == [4, 7]
    assert field.note.text() == "2 to 50"
    assert edit.property("valid") == "true"


def test_field_names_control_for_screen_readers(qtbot: QtBot) -> None:
    edit = NumberEdit(make_positive_parser(), lambda _: None)
    field = Field("Time", edit, unit="s", tip="Longest time")
    qtbot.addWidget(field)
    assert edit.accessibleName() == "Time (s)"
    assert edit.toolTip() == "Longest time"


def test_showing_value_does_not_disturb_typing(qtbot: QtBot) -> None:
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
    taken: list[object] = []
    choice = Choice([("a", "Alpha"), (None, "None")], taken.append)
    qtbot.addWidget(choice)
    choice.show_value(None)
    assert choice.currentText() == "None"
    choice.show_value("unknown")
    assert choice.currentIndex() == -1
    assert taken == []
    choice.activated.emit(0)
    assert taken == ["a"]


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
    assert [choice.itemData(at, role) for at in (0, 1)] == [None, "It needs a surrogate."]
    choice.mark_unsuitable({})
    assert choice.itemData(1, role) is None


def test_field_has_preferred_width(qtbot: QtBot) -> None:
    short, long = (
        NumberEdit(make_integer_parser(1), lambda _: None),
        NumberEdit(make_integer_parser(1), lambda _: None, "none"),
    )
    fields = [
        Field("Time", short),
        Field("Time", long, unit="minutes"),
        Field("The time that all of it may take together", short),
    ]
    for each in fields:
        qtbot.addWidget(each)
    narrow, wider, widest = (each.wanted_width() for each in fields)
    assert narrow < wider < widest
