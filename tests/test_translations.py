"""The catalogues of other languages: what is found, and what must hold in each."""

from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest
from babel.messages.catalog import Catalog

ROOT = Path(__file__).parents[1]
tools = SimpleNamespace(**run_path(str(ROOT / "packaging" / "translations.py")))
CATALOGUES = sorted((ROOT / "resources" / "translations").glob("*.po"))

MODULE = '''
"""A docstring. It is not shown."""

class Part:
    """Another docstring."""

    title = "Random search"
    summary = "Draws at random. It needs nothing."
    key = "random search"

    def fail(self, name, many):
        f"""No sentence either."""
        if many:
            raise DataError(f"Column {name!r} has {many:,} values; choose {{another}}.")
        label = f"record {name}"
        noun = clause(f"{many} columns") if many else clause("no column")
        raise DataError("The table "
                        f"{name} is empty.")

OPTION = option(3, help="Trees of the forest")
PLAIN = "no sentence"
SQL = "SELECT a FROM b WHERE c = ?."
BARE = f"{a} {b}."
'''


def test_sentences_of_other_rooms_become_templates() -> None:
    found = [text.one for text in tools.sentences(MODULE, "m.py")]
    assert sorted(found) == sorted(
        [
            "Random search",
            "Draws at random. It needs nothing.",
            "Trees of the forest",
            "Column {0} has {1} values; choose {{another}}.",
            "The table {0} is empty.",
            "{0} columns",
            "no column",
        ]
    )


def test_everything_of_the_window_is_found() -> None:
    catalog = tools.collect()
    replaced = "{name} was replaced by another file from outside. Open it again to see that one; "
    shown = "what is shown here is the document as it was."
    for text in ("Save as…", "Runs are going", replaced + shown):
        assert catalog.get(text) is not None, text
    assert catalog.get("A run is going.").pluralizable


@pytest.mark.parametrize(
    ("english", "other", "fault"),
    [
        ("{done} of {all}", "{done} sur {all}", ""),
        ("{done} of {all}", "{all} : {done}", ""),
        ("{done} of {all}", "{fait} sur {all}", "other slots"),
        ("{0} is empty.", "Vide.", "other slots"),
        (("{count} row", "{count} rows"), ("{count} ligne", "{count} lignes"), ""),
        (("{count} row", "{count} rows"), ("{count} ligne", ""), "not every form"),
        (("A run is going.", "{count} runs are going."), ("Un.", "{count} vont."), ""),
    ],
)
def test_slots_are_kept(english: object, other: object, fault: str) -> None:
    catalog = Catalog(locale="fr")
    catalog.add(english, other)
    faults = tools.faults(catalog)
    assert (fault in faults[0]) if fault else faults == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_every_translation_that_ships_fits(path: Path) -> None:
    assert tools.faults(tools.read(path)) == []
    built = path.with_suffix(".mo")
    assert built.read_bytes() == tools.compiled(tools.read(path)), "run translations.py compile"


def test_a_catalogue_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    catalog = tools.collect()
    catalog.locale = "fr"
    tools._write(tmp_path / "fr.po", catalog)
    first = (tmp_path / "fr.po").read_bytes()
    again = tools.read(tmp_path / "fr.po")
    again.update(tools.collect(), no_fuzzy_matching=True)
    tools._write(tmp_path / "fr.po", again)
    assert {m.id for m in again} == {m.id for m in catalog}
    tools._write(tmp_path / "fr.po", tools.read(tmp_path / "fr.po"))
    assert len(first) > 10_000
