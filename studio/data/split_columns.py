"""A column of dates or of text, split into columns of numbers."""

import dataclasses
import itertools
from collections.abc import Container

import numpy as np

from studio.data.column import Column
from studio.data.date_texts import mark_of
from studio.data.dates import DAY, PARTS, DatePart, part_of
from studio.data.distinct import Distinct
from studio.data.terms import Terms
from studio.errors import DataError


def split_date(
    name: str,
    cells: Distinct,
    aliases: tuple[str, ...],
    taken: Container[str],
) -> list[Column]:
    """Return a column for each part of the dates: days since 1970, year, month, day, weekday, hour.

    The hour is left out where no date of the column has a time of day.

    Args:
        name: The column's name in the file; a part's is ``name: part``.
        cells: Its cells.
        aliases: Other names under which pandas would show it.
        taken: Names of other columns.
    """
    date_format, seconds = cells.dates, cells.moments()
    mark = mark_of(cells.stripped, date_format)
    clock = bool(np.any(seconds[~np.isnan(seconds)] % DAY))
    return [
        Column(
            free_name(f"{name}: {part}", taken),
            "number",
            "feature",
            part_of(seconds, part)[cells.codes],
            # Under these names the column is found in another table.
            aliases=(*aliases, name),
            number_format=cells.number_format,
            date=DatePart(part, date_format.order, date_format.words, mark),
        )
        for part in PARTS
        if clock or part != "hour"
    ]


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name, with a number where another column is called so."""
    numbered = (name if turn == 1 else f"{name} {turn}" for turn in itertools.count(1))
    return next(each for each in numbered if each not in taken)


def split_text(
    name: str,
    cells: Distinct,
    aliases: tuple[str, ...],
    taken: Container[str],
) -> list[Column]:
    """Return the column itself, which models do not see, and one for each of its terms.

    A text that is missing has no terms.

    Args:
        name: The column's name in the file; a term's is ``name: term``.
        cells: Its cells.
        aliases: Other names under which pandas would show it.
        taken: Names of other columns.

    Raises:
        DataError: If it has no terms.
    """
    own = dataclasses.replace(Column.from_cells(name, "category", "ignore", cells), aliases=aliases)
    terms = Terms.of(cells.filled_texts, cells.counts)
    if not terms.words:
        raise DataError(
            "{name!r} cannot be a column of text: no word is in several of its cells and not in "
            "all. Undo that choice.",
            name=name,
        )
    return [
        own,
        *(
            Column(
                free_name(f"{name}: {word}", taken),
                "number",
                "feature",
                cells.weights(terms.part(place))[cells.codes],
                # Under these names the column is found in another table.
                aliases=(*aliases, name),
                missing_words=cells.missing_words,
                term=terms.part(place),
            )
            for place, word in enumerate(terms.words)
        ),
    ]
