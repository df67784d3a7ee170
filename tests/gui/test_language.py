"""Translation: fallback to English, slots, numbers and phrases."""

import datetime
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from studio import language
from studio import language as speech
from studio.analysis.answers.rows import ExpectedOutcome
from studio.analysis.number_phrases import PLUS_MINUS, make_rounded_phrase
from studio.analysis.selected_rows_text import _format_outcome
from studio.data.metrics.registry import get_metric
from studio.data.numbers import NumberFormat
from studio.errors import StudioError
from studio.gui.base.localisation import apply_language, format_datetime, set_languages
from studio.gui.base.number_parsing import parse_localised_number
from studio.language import ntr, tr, translate
from studio.learners.choice import find_learner
from studio.measure import PREFIX_MARK, format_amount, format_quantity
from studio.phrases import join_phrases, phrase, phrase_from_json, phrase_to_json
from studio.proposers.method import compose


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Restore English after each test."""
    yield
    set_languages(language.ENGLISH)


@pytest.mark.parametrize(("code", "written"), [("en", "−1.5"), ("fr", "−1,5")])
def test_minus_sign_is_shown_and_parsed(code: str, written: str) -> None:
    set_languages(code)
    assert language.number(-1.5) == written
    assert parse_localised_number(written) == -1.5


@pytest.mark.parametrize(("code", "written"), [("en", "25 Nov 2026"), ("fr", "25 nov. 2026")])
def test_dates_are_localised(code: str, written: str) -> None:
    set_languages(code)
    noon = datetime.datetime(2026, 11, 25, 12, 5).timestamp()
    assert format_datetime(noon) == f"{written}, 12:05"


def test_english_texts_are_formatted_with_values() -> None:
    assert tr("Save as…") == "Save as…"
    assert tr("{done} of {all}", done=3, all=8) == "3 of 8"
    assert ntr("{count} row", "{count} rows", 1) == "1 row"
    assert ntr("{count} row", "{count} rows", 12_345) == "12,345 rows"


@pytest.mark.parametrize(
    ("find", "noun"),
    [
        (partial(get_metric, "nope", "binary"), "métrique"),
        (partial(compose, "nope", {}, "binary"), "méthode"),
        (partial(compose, "BO-post", {"surrogate": "nope"}, "binary"), "modèle de substitution"),
        (partial(compose, "BO-post", {"ensemble": "nope"}, "binary"), "constructeur d’ensemble"),
        (partial(find_learner, {"a": "nope"}, {"a": "algorithm"}), "type de modèle"),
    ],
)
def test_kind_of_unknown_part_is_translated(find: Callable[[], object], noun: str) -> None:
    with pytest.raises(StudioError) as unknown:
        find()
    set_languages("fr")
    assert noun in translate(str(unknown.value))


def test_unknown_language_falls_back_to_english() -> None:
    set_languages("tlh")
    assert language.get_language() == language.ENGLISH
    assert tr("Run") == "Run"


def test_pseudo_language_is_longer_and_keeps_placeholders() -> None:
    set_languages(language.PSEUDO)
    translation = tr("{done} of {all} models", done=3, all=8)
    assert translation.startswith("3 öf 8 mödélš") and len(translation) > 1.3 * len("3 of 8 models")


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[dict[str, str]], None]:
    """Return a function that sets a French catalogue with these entries."""

    def set_catalogue(entries: dict[str, str]) -> None:
        catalogue = Catalog("fr")
        for english, other in entries.items():
            catalogue.add(english, other)
        with (tmp_path / "fr.mo").open("wb") as file:
            write_mo(file, catalogue)
        monkeypatch.setattr(speech, "FOLDER", tmp_path)
        set_languages("fr")

    return set_catalogue


def test_file_dialog_is_translated_without_qt_catalogue(
    qapp: QApplication, french: Callable[[dict[str, str]], None]
) -> None:
    french({"&Look in:": "&Chercher :", "Files of &type:": "&Type :"})
    apply_language("fr")
    try:
        dialog = QFileDialog()
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        labels = [each.text() for each in dialog.findChildren(QLabel)]
        # Qt 6.10 translates these itself, 6.11 does not.
        for english, ours in (("&Look in:", "&Chercher :"), ("Files of &type:", "&Type :")):
            assert english not in labels
            assert ours in labels or qVersion() < "6.11"
        assert dialog.labelText(QFileDialog.DialogLabel.Reject) == "Annuler", "Qt's own catalogue"
    finally:
        apply_language(language.ENGLISH)
    dialog = QFileDialog()
    assert dialog.labelText(QFileDialog.DialogLabel.Reject) == "Cancel"


def test_tiny_share_is_shown_as_upper_bound() -> None:
    assert language.format_share(0.374, 0) == "37 %"
    assert language.format_share(0.374) == "37.4 %"
    assert language.format_share(0.004, 0) == "< 1 %"
    assert language.format_share(0.0004) == "< 0.1 %"
    assert language.format_share(0.0, 0) == "0 %"
    assert language.format_shares([0.9045, 0.0955]) == ["90.4 %", "9.6 %"], "they add up"
    assert language.format_shares([0.5, 0.25]) == ["50.0 %", "25.0 %"]
    assert (language.format_share(0.007, 0), language.format_share(0.01, 0)) == ("1 %", "1 %")


def test_share_rounded_to_whole_is_shown_as_lower_bound() -> None:
    assert language.format_share(250 / 251, 0) == "> 99 %"
    assert language.format_share(0.994, 0) == "99 %"
    assert language.format_share(0.9996) == "> 99.9 %"
    assert language.format_share(0.9994) == "99.9 %"
    whole = 1.0, 1 + 1e-12, sum([0.1] * 10)
    assert {language.format_share(each, 0) for each in whole} == {"100 %"}
    assert language.format_shares([0.99999, 0.00001]) == ["> 99.9 %", "< 0.1 %"]


def test_share_can_be_rounded_down() -> None:
    texts = [language.format_share(share, 0, round_up=False) for share in (0.0, 0.007, 0.01, 0.374)]
    assert texts == ["0 %", "< 1 %", "1 %", "37 %"]
    assert language.format_share(0.0007, round_up=False) == "< 0.1 %"


def test_french_numbers_have_decimal_comma_and_narrow_spaces(
    french: Callable[[dict[str, str]], None],
) -> None:
    assert language.number(12345.678, ",.1f") == "12,345.7"
    assert language.format_share(0.123) == "12.3 %"
    french({"{number} %": "{number}\u202f%", "< {number} %": "< {number}\u202f%"})
    assert language.number(12345.678, ",.1f") == "12\u202f345,7"
    assert language.number(1e-7, ".3g") == "10⁻⁷"
    assert language.format_share(0.123) == "12,3\u202f%"
    assert language.format_share(0.0004) == "< 0,1\u202f%"
    assert language.group_digits(1_234_567) == "1\u202f234\u202f567"


def test_diagram_amounts_are_localised_with_unit(french: Callable[[dict[str, str]], None]) -> None:
    entries = ("10,000\u00a0kr", "−£1,234.5", "CHF\u00a010,000.5", "trial 1.5", "v1.5")
    assert tuple(map(language.translate_figures, entries)) == entries
    french({})
    assert [language.translate_figures(each) for each in entries] == [
        "10\u202f000\u00a0kr", "−1\u202f234,5\u00a0£",
        "10\u202f000,5\u00a0CHF", "trial 1.5", "v1.5",
    ]  # fmt: skip


def test_french_currency_follows_number_in_any_table_format(
    french: Callable[[dict[str, str]], None],
) -> None:
    euros, francs, number = "€" + PREFIX_MARK, "CHF" + PREFIX_MARK, "No." + PREFIX_MARK
    english_phrase = make_rounded_phrase(1234.5, PLUS_MINUS, euros)  # of a process in English
    mean = _format_outcome(ExpectedOutcome(3, 25.8, 20, 30, 0.9, 20, unit=francs), 25.8)
    assert format_quantity(99.33, euros) == "€99.33"
    french({})
    assert format_quantity(99.33, euros) == "99,33\u00a0€"
    assert format_quantity(-99.33, "$" + PREFIX_MARK, sign="+") == "−99,33\u00a0$"
    assert format_amount(1222.25, francs) == "1\u202f222,25\u00a0CHF"
    assert format_quantity(25, number) == "No.\u00a025", "no money"
    assert translate(english_phrase) == f"{PLUS_MINUS}1\u202f235\u00a0€"
    assert translate(make_rounded_phrase(25.8, unit=euros)) == "25,80\u00a0€"
    assert translate(mean) == "25,80\u00a0CHF"
    assert NumberFormat(",", ".", (), ("€",), leading=True).sample == "€1.234,5", "as in the file"


def test_numeric_table_entries_are_localised(french: Callable[[dict[str, str]], None]) -> None:
    entries = ("4.21 [3.90, 1,234.5]", "RS 0.5, 1.5", "< 0.001", "1.2e-05", "12.5%", "−0.5", "–")
    assert tuple(map(language.translate_figures, entries)) == entries
    assert language.translate_figures("-0.5 [-1.5, -0.25]") == "−0.5 [−1.5, −0.25]", "minus signs"
    assert language.translate_figures("2026-11-28") == "2026-11-28"
    french({"undecided": "indécis"})
    assert [language.translate_figures(each) for each in (*entries, "undecided")] == [
        "4,21 [3,90 ; 1\u202f234,5]", "RS 0.5, 1.5", "< 0,001", "1,2e-05", "12,5%", "−0,5", "–",
        "indécis",
    ]  # fmt: skip


def test_phrase_is_translated_by_template(french: Callable[[dict[str, str]], None]) -> None:
    french(
        {
            "Rows {first} and {second!r} differ.": "{second!r} et {first} diffèrent.",
            "{n:,} rows, {share:.1f} % of {whole}.": "{n:,} lignes, {share:.1f} % de {whole}.",
            "The trial failed.": "L'essai a échoué.",
            "“{text}”": "« {text} »",
            "Braces {{like these}} around {x}.": "Accolades {{comme ça}} : {x}.",
        }
    )
    differ = phrase("Rows {first} and {second!r} differ.", first=3, second="a")
    assert translate(differ) == "« a » et 3 diffèrent."
    rows_phrase = phrase(
        "{n:,} rows, {share:.1f} % of {whole}.", n=12345, share=12.34, whole="1,000.5"
    )
    assert translate(rows_phrase) == "12\u202f345 lignes, 12,3 % de 1,000.5."
    assert translate("The trial failed.") == "L'essai a échoué."
    unknown = "Nothing known of this."
    assert translate(unknown) == unknown
    unknown = phrase("Nothing known of {this}.", this="it")
    assert translate(unknown) == unknown
    braces = phrase("Braces {{like these}} around {x}.", x="x")
    assert translate(braces) == "Accolades {comme ça} : x."
    assert translate("") == ""


def test_nested_phrases_are_translated(french: Callable[[dict[str, str]], None]) -> None:
    french(
        {
            "The trial failed. {why}": "L'essai a échoué. {why}",
            "No memory left.": "Plus de mémoire.",
            "Try again.": "Réessayez.",
            "Column {name} of {what}.": "Colonne {name} de {what}.",
            "{n} columns": "{n} colonnes",
        }
    )
    failed = phrase("The trial failed. {why}", why=phrase("No memory left."))
    french_failed = "L'essai a échoué. Plus de mémoire."
    assert translate(join_phrases((failed, "Try again."))) == f"{french_failed} Try again."
    assert translate(join_phrases((failed, phrase("Try again.")))) == f"{french_failed} Réessayez."
    name = "No memory left."
    column = phrase("Column {name} of {what}.", name=name, what=phrase("{n} columns", n=7))
    assert translate(column) == f"Colonne {name} de 7 colonnes."


def test_phrases_are_translated_after_json(french: Callable[[dict[str, str]], None]) -> None:
    french({"{n:,} rows": "{n:,} lignes"})
    json_text = json.dumps(phrase_to_json({"note": phrase("{n:,} rows", n=1200)}))
    assert (
        translate(json.loads(json_text, object_hook=phrase_from_json)["note"])
        == "1\u202f200 lignes"
    )
