"""The names of columns: never empty, never twice, of bearable length, and found again by name."""

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.errors import DataError
from studio.phrases import phrase

MAX_NAME = 120
"""Longer names are shortened (the full one still finds the column)."""

_NAMED = 5
"""So many columns are named where none has a similar name."""

_CONTROLS = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]+")


@dataclass(frozen=True)
class Headings:
    """The names of a table's columns.

    Attributes
    ----------
    names : tuple of str
        Unique, not empty, without line breaks.
    aliases : tuple of tuples of str
        By column, what pandas would call it where that differs.
    notes : tuple of str
        What was changed, a sentence each.
    """

    names: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def headings(
    header: Sequence[str] | None, width: int, kept: Sequence[int] | None = None
) -> Headings:
    """Name the columns from the header's cells, or by position where there is no header.

    Parameters
    ----------
    header : sequence of str or None
        The cells of the row of names; missing ones are named by position.
    width : int
        The number of columns in the file.
    kept : sequence of int or None
        Those of them that are to be named; ``None`` for all.
    """
    kept = range(width) if kept is None else kept
    if header is None:
        return Headings(
            tuple(f"column {position + 1}" for position in kept),
            tuple((str(position),) for position in kept),
            (),
        )
    cells = [*header, *[""] * (width - len(header))]
    notes = []
    cleaned, empty, long = [], 0, 0
    for position, cell in enumerate(cells):
        name = _CONTROLS.sub(" ", cell).strip()
        if not name:
            name = f"column {position + 1}"
            empty += position in kept
        if len(name) > MAX_NAME:
            name = name[: MAX_NAME - 1] + "…"
            long += 1
        cleaned.append(name)
    unique = _unique(cleaned)
    twice = sorted({a for a, b in zip(cleaned, unique, strict=True) if a != b})
    if empty:
        notes.append(
            phrase("{columns} without a name: named by position.", columns=_columns(empty))
        )
    if long:
        notes.append(
            phrase(
                "{columns} with a name of more than {max_name} characters: shortened.",
                columns=_columns(long),
                max_name=MAX_NAME,
            )
        )
    if twice:
        listed = ", ".join(repr(name) for name in twice[:3])
        notes.append(
            phrase(
                "Several columns are called {listed}; a number was added to tell them apart.",
                listed=listed,
            )
        )
    theirs = _as_pandas(cells)
    aliases = tuple(
        tuple(dict.fromkeys(name for name in (theirs[i],) if name != unique[i])) for i in kept
    )
    return Headings(tuple(unique[i] for i in kept), aliases, tuple(notes))


def position(names: Sequence[str], name: str) -> int:
    """Return the position of a name.

    Raises
    ------
    DataError
        If it does not; the message names similar ones.
    """
    if name in names:
        return names.index(name)
    if close := difflib.get_close_matches(name, names, n=3, cutoff=0.5):
        raise DataError(
            "There is no column {name!r}. Columns with similar names: {listed}.",
            name=name[:80],
            listed=", ".join(map(repr, close)),
        )
    more = ", …" if len(names) > _NAMED else ""
    raise DataError(
        "There is no column {name!r}. The columns are {listed}.",
        name=name[:80],
        listed=", ".join(map(repr, names[:_NAMED])) + more,
    )


def find(names: Mapping[str, int], candidates: Sequence[str]) -> int | None:
    """Return the position of the first candidate name that is there, else ``None``."""
    for candidate in candidates:
        if candidate in names:
            return names[candidate]
    return None


def _columns(number: int) -> str:
    return phrase("One column") if number == 1 else phrase("{number:,} columns", number=number)


def _as_pandas(cells: Sequence[str]) -> list[str]:
    """Name columns as ``pandas.read_csv`` does: "Unnamed: 2" if empty, "a.1" for a second a."""
    filled = [cell or f"Unnamed: {i}" for i, cell in enumerate(cells)]
    named = [i for i, cell in enumerate(cells) if cell]
    unnamed = [i for i, cell in enumerate(cells) if not cell]
    return _unique(filled, [*named, *unnamed])


def _unique(names: Sequence[str], turns: Sequence[int] | None = None) -> list[str]:
    """Add ".1", ".2", … to names that come again, in the manner of pandas."""
    result = list(names)
    taken = set(names)
    counts: Counter[str] = Counter()
    for i in turns if turns is not None else range(len(result)):
        original = name = result[i]
        number = counts[name]
        while number > 0:
            counts[original] = number + 1
            name = f"{original}.{number}"
            if name in taken:
                number += 1
            else:
                number = counts[name]
        result[i] = name
        taken.add(name)
        counts[name] = number + 1
    return result
