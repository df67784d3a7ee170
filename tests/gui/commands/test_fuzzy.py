"""Fuzzy search: matching letters in order, and ranking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.gui.base.command import Command
from studio.gui.shell.commands.palette import find, fold_accents, match


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
def test_fuzzy_search_matches_letters_in_order(typed: str, text: str, lit: str) -> None:
    found = match(typed, text)
    assert found is not None
    assert "".join(text[place] for place in found.places) == lit


@pytest.mark.parametrize(("typed", "text"), [("xyz", "Save as…"), ("as s", "Run"), ("eva", "Save")])
def test_fuzzy_search_rejects_other_letters(typed: str, text: str) -> None:
    assert match(typed, text) is None


def test_fuzzy_search_prefers_word_starts() -> None:
    titles = ["Close the document", "Open a document…", "Recorded", "New document", "Redo"]
    commands = [Command(title, "g", title, lambda: None) for title in titles]
    assert find("nd", commands)[0].command.title == "New document"
    assert find("redo", commands)[0].command.title == "Redo"
    assert [each.command.title for each in find("", commands)] == titles


def test_palette_hides_unavailable_commands_and_matches_keywords() -> None:
    off = Command("a", "View", "Presentation mode", lambda: None, enabled=lambda: False)
    on = Command("b", "View", "Light or dark", lambda: None, also="theme colours")
    assert [each.command.key for each in find("", [off, on])] == ["b"]
    assert [each.command.key for each in find("theme", [off, on])] == ["b"]
    assert find("hmco", [off, on]) == [], "letters here and there of other words"


def test_palette_prefers_recent_commands() -> None:
    commands = [Command(key, "g", "Same title", lambda: None) for key in "abc"]
    assert [each.command.key for each in find("same", commands, ["c", "b"])] == ["b", "c", "a"]


@pytest.mark.slow
@given(st.text(), st.text(max_size=12))
def test_fuzzy_match_positions_spell_search(text: str, typed: str) -> None:
    assert len(fold_accents(text)) == len(text)
    found = match(typed, text)
    if found is not None:
        assert list(found.places) == sorted(set(found.places))
        lit = {fold_accents(text)[place] for place in found.places}
        assert set(fold_accents("".join(typed.split()))) == lit


def test_title_prefix_ranks_before_other_words() -> None:
    other = Command("a", "Setting of the run", "Seed", lambda: None, also="setting")
    wanted = Command("b", "View", "Settings…", lambda: None)
    assert find("setting", [other, wanted])[0].command.key == "b"
