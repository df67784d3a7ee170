"""The window's language: English without a catalogue, slots filled, templates recognised."""

import gettext
from collections.abc import Callable, Iterator

import pytest

from studio.gui.base import language
from studio.gui.base.language import ntr, said, tr


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Leave English behind."""
    yield
    language.use(language.ENGLISH)


def test_english_is_the_code_and_values_fill_its_slots() -> None:
    assert tr("Save as…") == "Save as…"
    assert tr("{done} of {all}", done=3, all=8) == "3 of 8"
    assert ntr("{count} row", "{count} rows", 1) == "1 row"
    assert ntr("{count} row", "{count} rows", 12_345) == "12,345 rows"


def test_an_unknown_language_leaves_english() -> None:
    language.use("tlh")
    assert language.current() == language.ENGLISH
    assert tr("Run") == "Run"


def test_the_pseudo_language_is_longer_and_keeps_its_slots() -> None:
    language.use(language.PSEUDO)
    shown = tr("{done} of {all} models", done=3, all=8)
    assert shown.startswith("3 öf 8 mödélš") and len(shown) > 1.3 * len("3 of 8 models")


def test_a_sentence_of_another_room_is_found_by_its_template(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = {
        "Column {0} is constant.": "La colonne {0} est constante.",
        "{1} rows of {0}.": "never",
        "Rows {0} and {1} differ.": "{1} et {0} sont différentes.",
    }
    catalogue = gettext.NullTranslations()
    monkeypatch.setattr(catalogue, "_catalog", entries, raising=False)
    monkeypatch.setattr(language, "_SPEECH", language._Speech("fr", catalogue))
    language._templates.cache_clear()
    assert said("Column age (years) is constant.") == "La colonne age (years) est constante."
    assert said("Rows 3 and 7 differ.") == "7 et 3 sont différentes."
    assert said("Nothing known of this.") == "Nothing known of this."


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], None]:
    """Return a way to speak French with these entries alone."""

    def speak(entries: dict[str, str]) -> None:
        catalogue = gettext.NullTranslations()
        monkeypatch.setattr(catalogue, "gettext", lambda text: entries.get(text, text))
        monkeypatch.setattr(catalogue, "_catalog", entries, raising=False)
        monkeypatch.setattr(language, "_SPEECH", language._Speech("fr", catalogue))
        language._templates.cache_clear()
        language._said.cache_clear()

    return speak


def test_french_numbers_have_commas_and_narrow_spaces(
    french: Callable[[dict[str, str]], None],
) -> None:
    assert language.number(12345.678, ",.1f") == "12,345.7"
    assert language.percent(0.123) == "12.3 %"
    french({})
    assert language.number(12345.678, ",.1f") == "12\u202f345,7"
    assert language.number(1e-7, ".3g") == "1e-07"
    assert language.percent(0.123) == "12,3\u202f%"
    assert language.grouped(1_234_567) == "1\u202f234\u202f567"


def test_values_that_are_sentences_and_sentences_in_a_row_are_translated(
    french: Callable[[dict[str, str]], None],
) -> None:
    french(
        {
            "The trial failed. {0}": "L'essai a échoué. {0}",
            "No memory left.": "Plus de mémoire.",
            "Try again.": "Réessayez.",
            "Braces {{like these}} around {0}.": "Accolades {{comme ça}} : {0}.",
        }
    )
    assert said("The trial failed. No memory left.") == "L'essai a échoué. Plus de mémoire."
    assert said("No memory left. Try again.") == "Plus de mémoire. Réessayez."
    assert said("No memory left. Unknown words.") == "Plus de mémoire. Unknown words."
    assert said("Braces {like these} around x.") == "Accolades {comme ça} : x."


def test_pieces_of_a_sentence_are_translated_and_names_are_not(
    french: Callable[[dict[str, str]], None],
) -> None:
    french(
        {
            "For {0}, take {1} rows; {2}.": "Pour {0}, prenez {1} lignes\xa0; {2}.",
            "{0} columns": "{0} colonnes",
            "one of {0} or {1}": "{0} ou {1}",
            "first": "premier",
            "no rows": "aucune ligne",
            "The sheet{0} holds the names.": "La feuille{0} contient les noms.",
        }
    )
    shown = said("For 7 columns, take 12,345 rows; one of gini, mse or mae.")
    assert shown == "Pour 7 colonnes, prenez 12\u202f345 lignes\xa0; gini, mse ou mae."
    assert (
        said("For first, take 9 rows; 'no rows'.") == "Pour first, prenez 9 lignes\xa0; 'no rows'."
    )
    quoted = "For 'the 2 columns', take 1.5 rows; “one of a or b”."
    assert said(quoted) == "Pour 'the 2 columns', prenez 1.5 lignes\xa0; “one of a or b”."
    assert said("The sheet holds the names.") == "La feuille contient les noms."
    assert said("one of gini or mse") == "gini ou mse"
    assert said("Too many columns") == "Too many columns"
