"""Method cards of the run page: families, search and selection."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.pages.run.form import MethodCards
from studio.helper.methods import make_catalogue
from studio.proposers.method import list_methods
from studio.proposers.preset_table import PRESETS
from tests.facts import contains_facts


@pytest.fixture
def cards(qtbot: QtBot) -> MethodCards:
    method_cards = MethodCards()
    qtbot.addWidget(method_cards)
    method_cards.show_methods(list_methods(), "multiclass", "EO-sqm")
    method_cards.show_choice("EO-sqm")
    method_cards.show()
    return method_cards


def test_method_cards_initially_show_suggested_family(cards: MethodCards) -> None:
    assert next(iter(cards.families)) == "Ensemble optimisation"
    assert next(iter(cards.cards)) == "EO-sqm"
    assert cards.cards["EO-sqm"].isChecked()


def test_every_method_is_in_one_family(cards: MethodCards, qtbot: QtBot) -> None:
    card_keys: list[str] = []
    for chip in list(cards.families.values()):
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
        card_keys += cards.cards
    method_keys = [each.key for each in list_methods() if "multiclass" not in each.rejections]
    assert sorted(card_keys) == sorted(method_keys)


@pytest.mark.slow
def test_method_search_covers_all_families(cards: MethodCards, qtbot: QtBot) -> None:
    qtbot.keyClicks(cards.search, "random")
    assert "RS" in cards.cards
    qtbot.keyClicks(cards.search, "nosuchthing")
    assert not cards.cards
    cards.search.clear()
    assert "EO-sqm" in cards.cards
    qtbot.keyClicks(cards.search, "agnostic bayes")  # the papers' name of their ensemble
    assert set(cards.cards) == {"ERS", "ESMBO"}


def test_search_lists_exact_names_then_prefixes_first(cards: MethodCards) -> None:
    cards.search.setText("ESMBO")
    assert len(cards.cards) > 1
    assert next(iter(cards.cards)) == "ESMBO"
    cards.search.setText("RS")
    assert next(iter(cards.cards)) == "RS"
    assert [key for key in cards.cards if key.startswith("RS")] == list(cards.cards)[
        : sum(key.startswith("RS") for key in cards.cards)
    ]


def test_selected_method_stays_marked(cards: MethodCards, qtbot: QtBot) -> None:
    qtbot.mouseClick(cards.families["Random search"], Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(cards.method_chosen) as blocker:
        qtbot.mouseClick(cards.cards["RS-post"], Qt.MouseButton.LeftButton)
    cards.show_choice(*blocker.args)
    qtbot.mouseClick(cards.families["Ensemble optimisation"], Qt.MouseButton.LeftButton)
    assert not any(card.isChecked() for card in cards.cards.values())
    qtbot.mouseClick(cards.families["Random search"], Qt.MouseButton.LeftButton)
    assert cards.cards["RS-post"].isChecked()


@pytest.mark.slow
def test_search_marks_selected_method_but_no_family(cards: MethodCards, qtbot: QtBot) -> None:
    def list_marked() -> list[str]:
        marked = [key for key, card in cards.cards.items() if card.isChecked()]
        chips = cards.families.items()
        return marked + [key for key, chip in chips if chip.isChecked() and chip.isVisible()]

    qtbot.mouseClick(cards.families["Random search"], Qt.MouseButton.LeftButton)
    assert list_marked() == ["Random search"]
    qtbot.keyClicks(cards.search, "DivBO")
    assert list_marked() == []
    cards.show_choice("DivBO")
    assert list_marked() == ["DivBO"]
    cards.show_choice("best")  # as another document does
    assert list_marked() == []
    cards.search.clear()
    assert list_marked() == ["best", "Best result"]


@pytest.mark.parametrize(
    ("query", "keys", "note"), [("nosuchthing", set(), "another word"), ("random", {"RS"}, "")]
)
def test_search_terms_find_methods_or_show_note(
    cards: MethodCards, query: str, keys: set[str], note: str
) -> None:
    cards.show_methods(list_methods(), "multiclass", "EO-sqm", make_catalogue())
    cards.search.setText(query)
    assert set(cards.cards) >= keys
    assert bool(cards.cards) == bool(keys)
    assert note in cards.note_label.text()
    assert cards.note_label.isVisible() == bool(note)


def test_method_with_missing_library_is_explained(cards: MethodCards) -> None:
    tpe = next(each for each in PRESETS if each.key == "optuna")
    available = [each for each in list_methods() if each != tpe]
    without = replace(make_catalogue(), methods=tuple(available), unavailable_methods=(tpe,))
    cards.show_methods(available, "multiclass", "EO-sqm", without)
    cards.search.setText("TPE")
    assert contains_facts(cards.note_label.text(), "Optuna (TPE)", "library")


def test_unsupported_method_is_hidden(cards: MethodCards) -> None:
    cards.show_methods(list_methods(), "regression", "EO-mse")
    assert "EO-sqm" not in cards.cards
    assert next(iter(cards.cards)) == "EO-mse"


def test_cards_use_available_width(cards: MethodCards, qtbot: QtBot) -> None:
    def get_card_positions() -> list[tuple[int, int]]:
        return [(card.x(), card.y()) for card in cards.cards.values()]

    cards.resize(900, 600)
    qtbot.waitUntil(lambda: get_card_positions()[0][1] == get_card_positions()[1][1])
    cards.resize(400, 900)
    qtbot.waitUntil(lambda: len({x for x, _ in get_card_positions()}) == 1)
    assert len({y for _, y in get_card_positions()}) == len(cards.cards)
    cards.resize(900, 600)
    qtbot.mouseClick(cards.families["Best result"], Qt.MouseButton.LeftButton)
    (alone,) = cards.cards.values()
    qtbot.waitUntil(lambda: alone.width() == cards.width())
