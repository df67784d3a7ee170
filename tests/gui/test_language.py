"""The window's language: English without a catalogue, slots filled, templates recognised."""

import gettext
from collections.abc import Iterator

import pytest

from studio.gui import language
from studio.gui.language import ntr, said, tr


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
