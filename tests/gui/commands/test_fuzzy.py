"""Search of commands: words, initials, and ranking."""

import pytest

from studio.gui.base.command import Command
from studio.gui.shell.commands.palette import find


def make_commands(*titles: str, group: str = "g") -> list[Command]:
    return [Command(title, group, title, lambda: None) for title in titles]


def search(typed: str, *titles: str, group: str = "g") -> list[str]:
    return [each.title for each in find(typed, make_commands(*titles, group=group))]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("sa", "Save as…"),
        ("dark", "Light or dark"),
        ("resultats", "Résultats"),
        ("dark light", "Light or dark"),
        ("lod", "Light or dark"),
        ("dauer", "Vertragsdauer"),
        ("", "Anything"),
    ],
)
def test_search_finds_words_initials_and_inner_letters(typed: str, title: str) -> None:
    assert search(typed, title) == [title]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("churn", "When closing while runs are in progress"),
        ("median", "Open the sample Diabetes progression"),
        ("svas", "Save as…"),
        ("as s", "Run"),
        ("or", "Before noon"),
    ],
)
def test_search_rejects_scattered_letters(typed: str, title: str) -> None:
    assert search(typed, title) == []


def test_search_ranks_words_before_initials_before_inner_letters() -> None:
    titles = ["Close the document", "Open a document…", "Recorded", "New document", "Redo"]
    assert search("nd", *titles) == ["New document"]
    assert search("redo", *titles) == ["Redo"]
    assert search("", *titles) == titles
    assert search("gl", "Live", group="Go to") == ["Live"]
    assert search("lod", "Light or dark", "Lodging") == ["Lodging", "Light or dark"]
    assert search("ging", "Lodging", "Ginger") == ["Ginger"], "inner letters only without others"


def test_unknown_search_words_are_ignored() -> None:
    titles = ["Refund of premium", "Leak", "Premium leak"]
    assert search("xyzzy refund", *titles) == ["Refund of premium"]
    assert search("premium leak xyzzy", *titles)[0] == "Premium leak"
    assert search("premium leak", *titles) == ["Premium leak"], "all words match"
    assert search("why does someone cancel", "Why", "Does") == ["Why"]
    assert search("xyzzy a", "All") == []


def test_help_ranks_below_equally_matching_actions() -> None:
    word = Command("a", "Words", "Metric", lambda: None, is_help=True)
    setting = Command("b", "Setting", "Optimise for", lambda: None, search_terms="accuracy metric")
    assert [each.key for each in find("metric", [word, setting])] == ["b", "a"]


def test_palette_hides_unavailable_commands_and_matches_keywords() -> None:
    off = Command("a", "View", "Presentation mode", lambda: None, is_enabled=lambda: False)
    on = Command("b", "View", "Light or dark", lambda: None, search_terms="theme colours")
    assert [each.key for each in find("", [off, on])] == ["b"]
    assert [each.key for each in find("theme", [off, on])] == ["b"]
    assert find("hmco", [off, on]) == [], "letters here and there of other words"


def test_palette_prefers_recent_commands() -> None:
    commands = [Command(key, "g", "Same title", lambda: None) for key in "abc"]
    assert [each.key for each in find("same", commands, ["c", "b"])] == ["b", "c", "a"]


def test_title_prefix_ranks_before_inner_words() -> None:
    other = Command("a", "Setting of the run", "Seed", lambda: None, search_terms="setting")
    settings_command = Command("b", "View", "Settings…", lambda: None)
    assert find("setting", [other, settings_command])[0].key == "b"
