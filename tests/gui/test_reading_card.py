"""The card that says how a file was read: encodings that may be meant stand first."""

import dataclasses
from pathlib import Path

from pytestqt.qtbot import QtBot

from studio.gui.drafts.data_draft import DataDraft
from studio.gui.pages.data.reading_card import ReadingCard
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
