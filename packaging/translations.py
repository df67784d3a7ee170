#!/usr/bin/env python3
"""Catalogues of other languages: ``extract``, ``update``, ``compile``, ``check``.

    python packaging/translations.py extract    write all texts into out/messages.pot
    python packaging/translations.py update     merge them into resources/translations/*.po
    python packaging/translations.py compile    make the program's .mo files (as every
                                                installation does)
    python packaging/translations.py check      report missing and invalid translations

Two kinds of texts are found. Anywhere: arguments of ``tr``, ``ntr`` and ``N_``. In the packages
below the window, whose texts it shows through ``translate``: templates of ``phrase`` and of this
program's errors, and the titles, summaries and helps declared by parts.
"""

import argparse
import ast
import builtins
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "studio"
FOLDER = ROOT / "resources" / "translations"
POT = ROOT / "out" / "messages.pot"

KEYWORDS = {"tr": 1, "ntr": 2, "N_": 1}
"""Translation functions, and the number of text arguments of each."""

NOT_SHOWN = ("gui", "cli", "api")
"""Packages whose messages the window does not show (its own texts are found by the keywords)."""

NAMED = frozenset(
    {"title", "summary", "help", "label", "description", "words", "unit_title", "search_terms"}
    | {"error_message", "inapplicable_message", "hint", "search_words", "noun", "short"}
    | {"short_name", "family", "FAMILY", "_FAMILY", "reference"}
)
"""Names of attributes, keywords and JSON keys with displayed texts."""

MARK = "phrase"
"""The function that marks messages of other packages (:mod:`studio.phrases`)."""

AUTHORS = "The Ensemble Studio authors"
FAULTS = "https://github.com/ensemblestudio/studio/issues"
"""Translators, and address for errors in texts: for the header of a catalogue."""

_DATE = datetime(2026, 1, 1, tzinfo=UTC)
_SLOT = re.compile(r"\{([^{}]*)\}")


class Text(NamedTuple):
    """A text with its plural form, if any, and its location."""

    one: str
    many: str | None
    place: str
    line: int
    sentence: bool


def window_texts() -> Iterator[Text]:
    """Find the arguments of ``tr``, ``ntr`` and ``N_``, also inside f-strings."""
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        calls: list[Any] = [
            each for each in ast.walk(ast.parse(path.read_text("utf-8"))) if _is_marked(each)
        ]
        for call in sorted(calls, key=lambda each: (each.lineno, each.col_offset)):
            texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
            one, many = (*texts[: KEYWORDS[call.func.id]], None, None)[:2]
            if isinstance(one, str) and one:
                yield Text(one, many, place, call.lineno, sentence=False)


def _is_marked(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS
    )


def core_texts() -> Iterator[Text]:
    """Find the messages of other packages and the titles of shipped files."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] not in NOT_SHOWN:
            yield from sentences(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    for path in sorted((ROOT / "resources").glob("*/*.json")):
        given = json.loads(path.read_text("utf-8"))
        for text in _find_named_texts(given):
            yield Text(text, None, path.relative_to(ROOT).as_posix(), 1, sentence=True)


def sentences(source: str, place: str) -> Iterator[Text]:
    """Find the translated texts of a module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[text, *_]) if name == MARK or _is_own_error(
                name
            ):
                given: list[ast.expr | None] = [text]
            case ast.Call(func=ast.Name(id="count_phrase"), args=[one, many, *_]):
                given = [one, many]
            case ast.keyword(arg=str(name), value=value) if name in NAMED:
                given = [value]
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in NAMED:
                given = [value]
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if name in NAMED:
                given = [value]
            case _:
                continue
        for text in given:
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value:
                yield Text(text.value, None, place, text.lineno, sentence=True)


def _is_own_error(name: str) -> bool:
    """Whether a name is an error of :mod:`studio.errors`."""
    return name.endswith("Error") and not hasattr(builtins, name)


def _find_named_texts(given: object) -> Iterator[str]:
    """Return the displayed texts of a JSON value."""
    if isinstance(given, dict):
        for key, value in given.items():
            if key in NAMED and isinstance(value, str) and value:
                yield value
            else:
                yield from _find_named_texts(value)
    elif isinstance(given, list):
        for value in given:
            yield from _find_named_texts(value)


def collect() -> Catalog:
    """Return all texts as a template."""
    catalog = Catalog(project="Ensemble Studio", charset="utf-8", fuzzy=False)
    for text in (*window_texts(), *core_texts()):
        known = catalog.get(text.one)
        if known is not None and isinstance(known.id, tuple) and text.many is None:
            continue  # already known, with its plural
        catalog.add(
            (text.one, text.many) if text.many else text.one,
            locations=[(text.place, text.line)],
            auto_comments=["said"] if text.sentence else [],
        )
    return catalog


def list_slots(text: str) -> list[str]:
    """Return the slots of a text, in order of their names; ``{{`` is none."""
    return sorted(_SLOT.findall(text.replace("{{", "").replace("}}", "")))


def find_faults(catalog: Catalog) -> list[str]:
    """Return the invalid translations of a catalogue; missing ones are allowed."""
    wrong = []
    for message in catalog:
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        given = message.string if isinstance(message.string, tuple) else (message.string,)
        for text in given:
            if text and all(list_slots(text) != list_slots(each) for each in ids):
                wrong.append(f"other slots than the English: {text!r} for {ids[0]!r}")
        if message.fuzzy:
            wrong.append(f"marked fuzzy, so it is not used: {ids[0]!r}")
        if isinstance(message.id, tuple) and any(given) and not all(given):
            wrong.append(f"not every form of the plural: {ids[0]!r}")
    return wrong


def find_missing(catalog: Catalog) -> list[str]:
    """Return the untranslated English texts."""
    found = []
    for message in catalog:
        given = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and not all(given):
            found.append(str(message.id[0] if isinstance(message.id, tuple) else message.id))
    return found


def read(path: Path) -> Catalog:
    """Return a language's catalogue."""
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def _begin(language: str) -> Catalog:
    return Catalog(
        locale=language,
        project="Ensemble Studio",
        header_comment="# The window's texts. Made by packaging/translations.py update.",
        fuzzy=False,
    )


def compile_catalog(catalog: Catalog) -> bytes:
    """Return a compiled catalogue."""
    buffer = BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def _write(path: Path, catalog: Catalog) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A fixed date, so that the same texts always give the same file.
    catalog.creation_date = catalog.revision_date = _DATE
    written = BytesIO()  # in memory first, as an encoding error would leave half a file
    # By text, not by file, so that a text keeps its place when its module is renamed or divided.
    write_po(written, catalog, width=100, sort_output=True, include_lineno=False)
    path.write_bytes(written.getvalue())


def extract() -> int:
    """Write the template."""
    catalog = collect()
    _write(POT, catalog)
    print(f"{len(catalog)} texts in {POT.relative_to(ROOT)}")
    return 0


def update(languages: list[str]) -> int:
    """Merge the texts into each language's catalogue, dropping unused ones."""
    template = collect()
    for language in languages:
        path = FOLDER / f"{language}.po"
        catalog = read(path) if path.is_file() else _begin(language)
        catalog.update(template, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        catalog.version = run_path(str(PACKAGE / "version.py"))["VERSION"]
        catalog.msgid_bugs_address = FAULTS
        catalog.last_translator = catalog.language_team = AUTHORS
        _write(path, catalog)
        print(f"{language}: {len(catalog)} texts, {len(find_missing(catalog))} without translation")
    return 0


def compile_all() -> int:
    """Compile the catalogues."""
    for path in sorted(FOLDER.glob("*.po")):
        path.with_suffix(".mo").write_bytes(compile_catalog(read(path)))
        print(f"{path.with_suffix('.mo').relative_to(ROOT)}")
    return 0


def check() -> int:
    """Print invalid and missing translations; return 1 if there are any."""
    expected = {message.id for message in collect() if message.id}
    n_faults = 0
    for path in sorted(FOLDER.glob("*.po")):
        catalog = read(path)
        lines = find_faults(catalog)
        lines += [f"not translated: {text!r}" for text in find_missing(catalog)]
        known = {message.id for message in catalog if message.id}
        lines += [f"not in the catalogue (run update): {text!r}" for text in expected - known]
        compiled_file = path.with_suffix(".mo")
        if not compiled_file.is_file() or compiled_file.read_bytes() != compile_catalog(catalog):
            lines.append(f"{compiled_file.name} is not made from it (run compile)")
        n_faults += len(lines)
        for line in lines:
            print(f"{path.stem}: {line}")
    return 1 if n_faults else 0


def main() -> int:
    """Parse the command line and do the job."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("job", choices=("extract", "update", "compile", "check"))
    parser.add_argument("languages", nargs="*", help="languages to update (default: all)")
    arguments = parser.parse_args()
    if arguments.job == "update":
        existing = sorted(path.stem for path in FOLDER.glob("*.po"))
        return update(arguments.languages or existing)
    return {"extract": extract, "compile": compile_all, "check": check}[arguments.job]()


if __name__ == "__main__":
    sys.exit(main())
