"""Column names: non-empty, unique, limited in length, and lookup by name."""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from studio.data.labels import INVISIBLE
from studio.errors import DataError
from studio.phrases import Phrase, count_phrase, join_phrases, join_quoted, phrase

MAX_NAME_LENGTH = 120
"""Maximum length; longer names are shortened (the full one still finds the column)."""

_FORMULA = re.compile(r'^="(.*)"$')
ORANGE_PREFIX = re.compile(r"^(?:[mciw]?[CDST]?|[mciw])#(?=.)")
_CONTROLS = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]+")


@dataclass(frozen=True)
class Headings:
    """Unique, non-empty names; their pandas names if different; and notes of changes."""

    names: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def make_headings(
    header: Sequence[str] | None, width: int, positions: Sequence[int] | None = None
) -> Headings:
    """Name the columns, by default all, by the header or, without a name, by position."""
    positions = range(width) if positions is None else positions
    if header is None:
        return Headings(
            tuple(f"column {position + 1}" for position in positions),
            tuple((str(position),) for position in positions),
            (),
        )
    cells = [*header, *[""] * (width - len(header))]
    cleaned, n_empty, n_long = [], 0, 0
    # Spreadsheets decorate names (="name"), and so does Orange (C#name).
    plain_names = [_FORMULA.sub(r"\1", cell.strip()) for cell in cells]
    if all(map(ORANGE_PREFIX.match, plain_names)):
        plain_names = [ORANGE_PREFIX.sub("", name) for name in plain_names]
    for position, cell in enumerate(plain_names):
        name = _CONTROLS.sub(" ", cell.translate(INVISIBLE)).strip()
        if not name:
            name = f"column {position + 1}"
            n_empty += position in positions
        if len(name) > MAX_NAME_LENGTH:
            name = name[: MAX_NAME_LENGTH - 1] + "…"
            n_long += 1
        cleaned.append(name)
    unique = _make_unique(cleaned)
    repeated_names = sorted({a for a, b in zip(cleaned, unique, strict=True) if a != b})
    unnamed = phrase(
        "{columns} without a name: named by position.", columns=_count_columns(n_empty)
    )
    shortened = phrase(
        "{columns} with a name of more than {max_name} characters: shortened.",
        columns=_count_columns(n_long),
        max_name=MAX_NAME_LENGTH,
    )
    repeated = phrase(
        "Several columns are called {listed}; a number was added to tell them apart.",
        listed=join_quoted(repeated_names[:3]),
    )
    causes = ((n_empty, unnamed), (n_long, shortened), (repeated_names, repeated))
    notes = tuple(note for cause, note in causes if cause)
    pandas_names = _name_like_pandas(cells)
    aliases = tuple((pandas_names[i],) * (pandas_names[i] != unique[i]) for i in positions)
    return Headings(tuple(unique[i] for i in positions), aliases, notes)


def find_position(names: Sequence[str], name: str, source: str = "") -> int:
    """Return the index of a column by name; raise DataError with similar ones if it is missing."""
    if name in names:
        return names.index(name)
    missing = (
        phrase("{source!r} has no column {name!r}.", source=source, name=name[:80])
        if source
        else phrase("There is no column {name!r}.", name=name[:80])
    )
    if similar_names := difflib.get_close_matches(name, names, n=3, cutoff=0.5):
        raise DataError(
            "{missing} Columns with similar names: {similar}.",
            missing=missing,
            similar=join_quoted(similar_names),
        )
    raise DataError(
        "{missing} Its columns are {listed}.", missing=missing, listed=join_quoted(names)
    )


def match(
    required_names: Sequence[Sequence[str]], names: Sequence[str], aliases: Sequence[Sequence[str]]
) -> tuple[int | None, ...]:
    """Return the position of each wanted column in a table, by name.

    A column is found by its name, else by its pandas name, else by a name that differs only in case
    and blanks (or ``_`` and ``.`` in their place), if that is unique among the table's and the
    wanted columns.

    Args:
        required_names: The names of each column, the best first; several may be the same column.
    """
    index_by_alias = {alias: i for i in range(len(names))[::-1] for alias in aliases[i]}
    index_by_alias |= {name: i for i, name in enumerate(names)}
    columns = list(dict.fromkeys(map(tuple, required_names)))
    position_of = {
        column: next((index_by_alias[name] for name in column if name in index_by_alias), None)
        for column in columns
    }
    used_positions = set(position_of.values())
    free_positions: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        if i not in used_positions:
            free_positions.setdefault(fold_name(name), []).append(i)
    unmatched = [column for column in columns if position_of[column] is None]
    keys = Counter(key for column in unmatched for key in {fold_name(name) for name in column})
    for column in unmatched:
        for key in map(fold_name, column):
            if keys[key] == 1 and len(free_positions.get(key, ())) == 1:
                position_of[column] = free_positions[key][0]
                break
    return tuple(position_of[tuple(column)] for column in required_names)


_MAX_LISTED = 12
"""Maximum number of listed pairs of names, since each should be checked."""


def describe_spelling(pairs: Sequence[tuple[str, str]]) -> str:
    """Describe differently spelled columns, as pairs of the table's and the known name; or ""."""
    if not pairs:
        return ""
    examples: list[str] = [
        Phrase("{theirs!r} ({known!r})", {"theirs": repr(table_name), "known": repr(known_name)})
        for table_name, known_name in pairs[:_MAX_LISTED]
    ]
    return count_phrase(
        "1 column was matched despite a different spelling: {listed}.",
        "{count:,} columns were matched despite different spellings: {listed}.",
        len(pairs),
        listed=join_phrases([*examples, "…"] if len(pairs) > _MAX_LISTED else examples, ", "),
    )


def fold_name(name: str) -> str:
    """Return a key that ignores case and blanks, and the usual substitutes for blanks."""
    return re.sub(r"[\s_.]+", "", unicodedata.normalize("NFC", name).casefold())


def _count_columns(number: int) -> str:
    return phrase("One column") if number == 1 else phrase("{number:,} columns", number=number)


def _name_like_pandas(cells: Sequence[str]) -> list[str]:
    """Name columns like ``pandas.read_csv``: "Unnamed: 2" if empty, "a.1" for a repeated "a"."""
    names = [cell or f"Unnamed: {i}" for i, cell in enumerate(cells)]
    return _make_unique(names, sorted(range(len(cells)), key=lambda i: not cells[i]))


def _make_unique(names: Sequence[str], order: Sequence[int] | None = None) -> list[str]:
    """Append ".1", ".2", … to repeated names, like pandas."""
    result = list(names)
    used_names = set(names)
    counts: Counter[str] = Counter()
    for i in order if order is not None else range(len(result)):
        original = name = result[i]
        number = counts[name]
        while number > 0:
            counts[original] = number + 1
            name = f"{original}.{number}"
            if name in used_names:
                number += 1
            else:
                number = counts[name]
        result[i] = name
        used_names.add(name)
        counts[name] = number + 1
    return result
