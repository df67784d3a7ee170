"""The card that says how a file was read: encodings that may be meant stand first."""

import dataclasses
from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.pages.data.reading_card import ReadingCard
from studio.gui.session.session import Session
from studio.gui.widgets.fields import Choice
from studio.helper.described import Described
from studio.helper.preview import preview as preview_task


def test_likely_encodings_stand_first_with_what_they_make_of_words(
    qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("id,miasto\n1,Łódź\n2,Gdańsk\n3,Poznań\n4,Kraków\n".encode("cp1250"))
    preview = preview_task(Described(path))
    card = ReadingCard()
    qtbot.addWidget(card)
    card.show_draft(dataclasses.replace(DataDraft.for_file(path), preview=preview))
    choice = card.choices["encoding"]
    texts = [choice.itemText(place) for place in range(choice.count())]
    polish = next(place for place, text in enumerate(texts) if text.startswith("cp1250"))
    assert polish < 5
    assert "Łódź" in texts[polish]
    assert len({text.partition("  ")[0] for text in texts}) == len(texts)
    with qtbot.waitSignal(card.option_changed) as changed:
        choice.setCurrentIndex(polish)
        choice.activated.emit(polish)
    assert changed.args == ["encoding", "cp1250"]


def test_marks_as_found_are_shown_and_are_no_choice(
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
    qtbot.waitUntil(lambda: model.ready and not model.busy, timeout=10_000)
    marks = [card.choices["decimal"], card.choices["thousands"]]
    assert [each.currentText() for each in marks] == ["As found: comma  3,14", "As found: point"]
    for choice in marks:
        choice.activated.emit(choice.currentIndex())
    assert model.draft.options == {}
    activate(card.choices["separator"], ";")
    model.set_role("b", "ignore")
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.options == {"separator": ";"}
    assert model.draft.source().reading == {"separator": ";"}
    sent = [asked["table"]["options"] for task, asked in helper.asked if task == "preview"]
    assert all(not {"decimal", "thousands"} & set(options) for options in sent)
    activate(marks[0], ".")
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.options == {"separator": ";", "decimal": "."}
    assert marks[0].currentText() == "point  3.14"
    activate(marks[0], None)
    assert model.draft.options == {"separator": ";"}


def activate(choice: Choice, value: object) -> None:
    """Choose what the user could, with its signal."""
    place = choice.values.index(value)
    choice.setCurrentIndex(place)
    choice.activated.emit(place)
