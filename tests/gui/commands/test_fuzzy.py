"""Finding a line by some of its letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.gui.base.command import Command
from studio.gui.shell.commands.palette import find, match, plain


@pytest.mark.parametrize(
    ("typed", "text", "lit"),
    [
        ("svas", "Save as…", "Svas"),
        ("dark", "Light or dark", "dark"),
        ("resultats", "Résultats", "Résultats"),
        ("or light", "Light or dark", "Lightor"),
        ("", "Anything", ""),
    ],
)
def test_letters_in_their_order_are_found(typed: str, text: str, lit: str) -> None:
    found = match(typed, text)
    assert found is not None
    assert "".join(text[place] for place in found.places) == lit


@pytest.mark.parametrize(("typed", "text"), [("xyz", "Save as…"), ("as s", "Run"), ("eva", "Save")])
def test_other_letters_are_not(typed: str, text: str) -> None:
    assert match(typed, text) is None


def test_beginnings_of_words_go_first() -> None:
    titles = ["Close the document", "Open a document…", "Recorded", "New document", "Redo"]
    commands = [Command(title, "g", title, lambda: None) for title in titles]
    assert find("nd", commands)[0].command.title == "New document"
    assert find("redo", commands)[0].command.title == "Redo"
    assert [each.command.title for each in find("", commands)] == titles


def test_what_is_impossible_now_is_not_offered_and_other_words_find() -> None:
    off = Command("a", "View", "Presentation mode", lambda: None, enabled=lambda: False)
    on = Command("b", "View", "Light or dark", lambda: None, also="theme colours")
    assert [each.command.key for each in find("", [off, on])] == ["b"]
    assert [each.command.key for each in find("theme", [off, on])] == ["b"]
    assert find("hmco", [off, on]) == [], "letters here and there of other words"


def test_what_was_done_lately_goes_before_its_equals() -> None:
    commands = [Command(key, "g", "Same title", lambda: None) for key in "abc"]
    assert [each.command.key for each in find("same", commands, ["c", "b"])] == ["b", "c", "a"]


@pytest.mark.slow
@given(st.text(), st.text(max_size=12))
def test_places_are_ascending_and_spell_what_was_typed(text: str, typed: str) -> None:
    assert len(plain(text)) == len(text)
    found = match(typed, text)
    if found is not None:
        assert list(found.places) == sorted(set(found.places))
        lit = {plain(text)[place] for place in found.places}
        assert set(plain("".join(typed.split()))) == lit
