"""Extraction of texts, and validity of the catalogues."""

import ast
import copy
import json
import re
from io import BytesIO
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo

from studio import phrases

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
tools = SimpleNamespace(**run_path(str(ROOT / "packaging" / "translations.py")))
CORE = [
    path
    for path in sorted((ROOT / "studio").rglob("*.py"))
    if path.relative_to(ROOT / "studio").parts[0] not in tools.NOT_SHOWN
]
TRANSLATED = [
    path
    for path in sorted((ROOT / "studio").rglob("*.py"))
    if path.relative_to(ROOT / "studio").parts[0] != "cli"
]
"""The files whose errors the window may show."""

CATALOGUES = sorted((ROOT / "resources" / "translations").glob("*.po"))

MODULE = """
class Part:
    title = "Random search"
    summary = phrase("Draws at random.")
    key = "random search"

    def fail(self, name, many):
        if many:
            raise DataError("Column {name!r} has {many:,} values; choose {{another}}.", name=name)
        noun = phrase("{many} columns", many=many) if many else phrase("no column")
        message = phrase(noun)
        raise DataError("The table "
                        "is empty.")
        raise ValueError("A fault of the program.")

OPTION = option(3, help="Trees of the forest")
PLAIN = "It is no sentence for people."
"""


@pytest.fixture(scope="module")
def collected() -> Catalog:
    """Return the catalogue of all texts."""
    return tools.collect()


def test_marked_core_texts_are_extracted() -> None:
    extracted_texts = [text.one for text in tools.sentences(MODULE, "m.py")]
    marked = [
        "Random search",
        "Draws at random.",
        "Trees of the forest",
        "Column {name!r} has {many:,} values; choose {{another}}.",
        "The table is empty.",
        "{many} columns",
        "no column",
    ]
    assert sorted(extracted_texts) == sorted(marked)


def test_messages_keep_values_separate() -> None:
    untranslatable = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in TRANSLATED
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and (node.func.id == tools.MARK or tools._is_own_error(node.func.id))
        and any(isinstance(each, ast.JoinedStr) for each in node.args[:1])
    ]
    assert untranslatable == [], (
        "an f-string cannot be translated: give the template and its values"
    )


def test_messages_receive_values_for_all_slots() -> None:
    locations = []
    for path in TRANSLATED:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="tr" | "phrase") | ast.Attribute(attr="tr" | "phrase"),
                    args=[ast.Constant(value=str(template)), *_],
                    keywords=[_, *_] as keywords,
                ) if all(each.arg for each in keywords):
                    slots = {name for name, _, _ in phrases._iterate_slots(template)}
                    if slots != {each.arg for each in keywords}:
                        locations.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert locations == []


def test_every_template_can_be_stored_in_document() -> None:
    for template in {text.one for text in tools.core_texts() if "{" in text.one}:
        values = {
            name: 0.5 if form and not kind else "x"
            for name, form, kind in phrases._iterate_slots(template)
        }
        stored_phrase = phrases.phrase_to_json(phrases.Phrase(template, values))
        assert isinstance(
            json.loads(json.dumps(stored_phrase), object_hook=phrases.phrase_from_json),
            phrases.Phrase,
        )


def test_window_texts_are_extracted(collected: Catalog) -> None:
    replaced = "{name} was replaced by another file. Open it again to see the new file; "
    ending = "this window still shows the old document."
    for text in ("Save as…", "Runs are in progress", replaced + ending):
        assert collected.get(text) is not None, text
    counted_text = "A run is still in progress."
    assert collected.get(counted_text).pluralizable


@pytest.mark.parametrize(
    ("english", "other", "fault"),
    [
        ("{done} of {all}", "{done} sur {all}", ""),
        ("{done} of {all}", "{all} : {done}", ""),
        ("{done} of {all}", "{fait} sur {all}", "other slots"),
        ("{0} is empty.", "Vide.", "other slots"),
        (("{count} row", "{count} rows"), ("{count} ligne", "{count} lignes"), ""),
        (("{count} row", "{count} rows"), ("{count} ligne", ""), "not every form"),
        (
            ("A run is still in progress.", "{count} runs are still in progress."),
            ("Un.", "{count} vont."),
            "",
        ),
    ],
)
def test_translations_keep_placeholders(english: object, other: object, fault: str) -> None:
    catalog = Catalog(locale="fr")
    catalog.add(english, other)
    faults = tools.find_faults(catalog)
    assert (fault in faults[0]) if fault else faults == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_shipped_translations_are_valid(path: Path) -> None:
    assert tools.find_faults(tools.read(path)) == []
    # Only the header may differ: it contains the version of Babel.
    shipped_texts, expected = (
        {str(each.id): each.string for each in read_mo(BytesIO(compiled)) if each.id}
        for compiled in (
            path.with_suffix(".mo").read_bytes(),
            tools.compile_catalog(tools.read(path)),
        )
    )
    assert shipped_texts == expected, "run translations.py compile"


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_catalogue_contains_exactly_used_texts(path: Path, collected: Catalog) -> None:
    used_texts = {message.id for message in collected if message.id}
    catalogue_texts = {message.id for message in tools.read(path) if message.id}
    assert catalogue_texts - used_texts == set(), "unused text: run translations.py update"
    assert used_texts - catalogue_texts == set(), "not in the catalogue: run translations.py update"


FRENCH_WORDS = {
    # Forbidden patterns, with the reason, and exceptions by English text.
    r"critère": ("", "a metric is a “métrique”"),
    r"(?<!à )\bmesures?\b": (r"^(?!.*metric)", "a metric is a “métrique”"),
    r"(?<!algorithme d’)(?<!algorithmes d’)(?<!taux d’)(?<!ourbe d’)(?<!sur)apprentissage"
    r"(?! automatique)": ("", "training is “entraînement”; only learning is “apprentissage”"),
    r"\btableaux?\b": (
        r"[Aa]rray|shape|diagram|LaTeX|tables? \d|(The|the) tables? |SMBEO's tables",
        "the user's table is a “table”; results are shown in a “tableau”",
    ),
    r"libellé": ("", "a label is an “étiquette”"),
    r"au jugé|\bdeviner la classe": ("", "a guess is “sans modèle”; chance is “au hasard”"),
    r"réajust": ("", "to refit is “réentraîner”"),
    r"\bgrappe": ("", "a cluster is a “cluster”"),
    r"tireté": ("", "dashed is “en tirets”"),
    r"vraies? (classe|valeur|étiquette)|(classe|valeur)s? vraies?": ("", "true is “réel”"),
    r"appuyez sur «": ("", "one clicks a button and presses a key"),
    r"«[^\N{NARROW NO-BREAK SPACE}]|[^\N{NARROW NO-BREAK SPACE}]»": ("", "narrow spaces"),
    r"\b(la|le|de|que|se) (étiquette|entraînement|exécution|essai|espace|erreur|ensemble)\b": (
        "'ensemble'|ensemble=|=KEY|\\.ensemble|{option}",
        "the vowel is elided",
    ),
    r"\w'\w": (r"'|\{", "apostrophes are ’"),
}
"""French synonyms that are not used."""


def test_french_terms_are_consistent() -> None:
    faults = []
    for message in tools.read(ROOT / "resources" / "translations" / "fr.po"):
        english = message.id[0] if isinstance(message.id, tuple) else message.id
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        if not english or (re.fullmatch(r"[a-z0-9 -]+", english) and english.count(" ") > 1):
            continue  # search terms only
        for pattern, (allowed, reason) in FRENCH_WORDS.items():
            if any(re.search(pattern, text, re.IGNORECASE) for text in texts) and not (
                allowed and re.search(allowed, english)
            ):
                faults.append(f"{texts[0]}: {reason}")
    assert faults == []


def test_catalogue_round_trips(tmp_path: Path, collected: Catalog) -> None:
    catalog = copy.deepcopy(collected)
    catalog.locale = "fr"
    tools._write(tmp_path / "fr.po", catalog)
    first = (tmp_path / "fr.po").read_bytes()
    restored = tools.read(tmp_path / "fr.po")
    restored.update(copy.deepcopy(collected), no_fuzzy_matching=True)
    tools._write(tmp_path / "fr.po", restored)
    assert {m.id for m in restored} == {m.id for m in catalog}
    tools._write(tmp_path / "fr.po", tools.read(tmp_path / "fr.po"))
    assert len(first) > 10_000


def test_numbers_in_window_texts_are_localised(collected: Catalog) -> None:
    """Formats in slots of ``tr`` would show a decimal point in every language."""
    local_only = [
        str(text.id)
        for text in collected
        if text.locations and all(path.startswith("studio/gui") for path, _ in text.locations)
    ]
    assert local_only
    assert [text for text in local_only if re.search(r"\{\w+:", text)] == []


def _get_word_groups(text: str) -> set[tuple[str, ...]]:
    """Return every four words in a row of a text."""
    words = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text)
    return set(zip(words, words[1:], words[2:], words[3:], strict=False))


def _get_word_groups_of_message(message: str) -> set[tuple[str, ...]]:
    """Return every four words in a row of a message, between its slots."""
    return set().union(*map(_get_word_groups, re.split(r"\{[^{}]*\}", message)))


def _find_quoted_messages(source: str, word_groups: set[tuple[str, ...]]) -> list[int]:
    """Return the lines of a test's source that assert or match four words of a message."""
    if word_groups.isdisjoint(_get_word_groups(source)):
        return []
    return [
        text.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg == "match")
        for text in ast.walk(node.test if isinstance(node, ast.Assert) else node.value)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
        if not word_groups.isdisjoint(_get_word_groups(text.value))
    ]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("with raises(E, match='row without a target'):\n    read()", [1]),
        ("assert (\n    'has a row without a target' in str(error))", [2]),
        ("assert told == {'note': 'a row without a target'}", [1]),
        ("assert facts(error) == {'name': 'b'}, 'a row without a target'", []),
        ("table = 'a row without a target'", []),
        ("with raises(E, match='without a target'):\n    read()", []),
    ],
)
def test_quoted_messages_in_tests_are_detected(source: str, lines: list[int]) -> None:
    assert (
        _find_quoted_messages(
            source, _get_word_groups_of_message("{table!r} has a row without a target.")
        )
        == lines
    )


def test_tests_do_not_quote_messages(collected: Catalog) -> None:
    word_groups = set().union(*(_get_word_groups_of_message(str(text.id)) for text in collected))
    for path in (ROOT / "studio" / "cli").rglob("*.py"):
        for text in tools.sentences(path.read_text("utf-8"), path.name):
            word_groups |= _get_word_groups_of_message(text.one)
    pinned = [
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line in _find_quoted_messages(path.read_text("utf-8"), word_groups)
    ]
    assert not pinned, f"{pinned}: identify it by its values, such as about(name=...)"
